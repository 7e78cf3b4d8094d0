#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/error_ratio.h"
#include "gemmtune/table/sheet/sheet_stats.h"

namespace gemmtune {
namespace {

std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> pieces;
  for (const auto& [name, count] : counts) pieces.push_back(fmt::format("{} {}", count, name));
  return join(pieces, ", ");
}

nlohmann::json to_json_value(const std::string& file, const SheetStats& stats) {
  nlohmann::json value{{"file", file},
                       {"kind", to_string(stats.kind)},
                       {"rows", stats.rows},
                       {"keys", stats.keys},
                       {"timed", stats.timed},
                       {"err_ratio_above_limit", stats.wrong},
                       {"layers", stats.layers},
                       {"kernels", stats.kernels},
                       {"unusable_lines", stats.unusable},
                       {"devices", stats.devices},
                       {"libtypes", stats.libraries}};
  value["m"] = stats.m ? nlohmann::json{stats.m->low, stats.m->high} : nlohmann::json();
  return value;
}

std::string description(const std::string& file, const SheetStats& stats) {
  auto text = fmt::format("{}: {}\n", file, to_string(stats.kind));
  text += fmt::format("  rows      {}, {} distinct keys, {} with a time\n", stats.rows, stats.keys, stats.timed);
  text += fmt::format("  layers    {}", stats.layers);
  if (stats.m) text += fmt::format(", M {} to {}", stats.m->low, stats.m->high);
  text += fmt::format("\n  kernels   {}", stats.kernels);
  if (!stats.libraries.empty()) text += fmt::format("; rows of {}", counts_text(stats.libraries));
  if (!stats.devices.empty()) text += fmt::format("\n  devices   {}", counts_text(stats.devices));
  return text + fmt::format("\n  doubtful  {} rows with an error ratio above {}, {} lines that cannot be used\n",
                            stats.wrong, error_limit(stats.kind), stats.unusable);
}

class TableStatsCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", tables_).required();
    options.add_flag("--json", json_);
  }

  int run() override {
    auto list = nlohmann::json::array();
    for (const auto& sheet : read_sheets(tables_)) {
      const auto stats = stats_of(sheet);
      if (json_)
        list.push_back(to_json_value(sheet.sources.front(), stats));
      else
        print_text("{}", description(sheet.sources.front(), stats));
    }
    if (json_) print_text("{}\n", json_text(list));
    return 0;
  }

 private:
  std::vector<std::string> tables_;
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_table_stats_command() { return std::make_unique<TableStatsCommand>(); }

}  // namespace gemmtune
