#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/sheet_diff.h"

namespace gemmtune {
namespace {

std::string time_text(const std::optional<double>& time) { return time ? shortest(*time) : "none"; }

std::string times_text(const Changed& changed) {
  auto text = fmt::format("us {} -> {}", time_text(changed.before_us), time_text(changed.after_us));
  if (const auto ratio = changed.ratio()) text += fmt::format(", times {:.3f}", *ratio);
  return text;
}

nlohmann::json time_value(const std::optional<double>& time) { return time ? nlohmann::json(*time) : nlohmann::json(); }

nlohmann::json to_json_value(const std::vector<OneSided>& rows) {
  auto list = nlohmann::json::array();
  for (const auto& row : rows) list.push_back({{"key", row.key}, {"where", row.where}});
  return list;
}

nlohmann::json to_json_value(const std::vector<Changed>& rows) {
  auto list = nlohmann::json::array();
  for (const auto& row : rows)
    list.push_back({{"key", row.key},
                    {"before_where", row.before_where},
                    {"after_where", row.after_where},
                    {"before", row.before},
                    {"after", row.after},
                    {"before_us", time_value(row.before_us)},
                    {"after_us", time_value(row.after_us)},
                    {"ratio", time_value(row.ratio())}});
  return list;
}

class TableDiffCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("before", before_).required();
    options.add_option("after", after_).required();
    options.add_option("--tolerance", tolerance_percent_).not_negative();
    options.add_flag("--json", json_);
  }

  int run() override {
    auto difference = diff(only_sheet(before_), only_sheet(after_));
    const auto within = std::erase_if(difference.times, [this](const Changed& row) { return is_within(row); });
    difference.same += within;
    if (json_)
      show_json(difference);
    else
      show(difference);
    return difference.is_empty() ? 0 : 1;
  }

 private:
  static Sheet only_sheet(const std::string& argument) {
    auto sheets = read_sheets({argument});
    if (sheets.size() != 1)
      fail(ErrorCode::usage, "{}: expected one table on each side; merge several first", argument);
    return std::move(sheets.front());
  }

  bool is_within(const Changed& changed) const {
    const auto ratio = changed.ratio();
    return ratio && std::abs(*ratio - 1) * 100 <= tolerance_percent_;
  }

  static void show(const SheetDiff& difference) {
    for (const auto& row : difference.only_before) print_text("- {} ({})\n", row.key, row.where);
    for (const auto& row : difference.only_after) print_text("+ {} ({})\n", row.key, row.where);
    for (const auto& row : difference.choices)
      print_text("! {}: {} -> {}; {}\n", row.key, row.before, row.after, times_text(row));
    for (const auto& row : difference.times) print_text("~ {}: {}\n", row.key, times_text(row));
    print_text("{} only before, {} only after, {} other kernels, {} other times, {} the same\n",
               difference.only_before.size(), difference.only_after.size(), difference.choices.size(),
               difference.times.size(), difference.same);
  }

  static void show_json(const SheetDiff& difference) {
    const nlohmann::json value{{"only_before", to_json_value(difference.only_before)},
                               {"only_after", to_json_value(difference.only_after)},
                               {"choices", to_json_value(difference.choices)},
                               {"times", to_json_value(difference.times)},
                               {"same", difference.same}};
    print_text("{}\n", json_text(value));
  }

  std::string before_;
  std::string after_;
  double tolerance_percent_{};
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_table_diff_command() { return std::make_unique<TableDiffCommand>(); }

}  // namespace gemmtune
