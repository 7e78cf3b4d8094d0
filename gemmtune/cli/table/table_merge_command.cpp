// `gemmtune table merge` and `gemmtune table dedupe`: one row for each key.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/cli/table/table_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/merge.h"

namespace gemmtune {
namespace {

MergePolicy policy_named(const std::string& name) {
  if (const auto policy = parse_merge_policy(name)) return *policy;
  fail(ErrorCode::usage, "--policy: found '{}', expected fastest, newest, first or error", name);
}

std::string time_text(const std::optional<double>& time) { return time ? shortest(*time) + " us" : "no time"; }

nlohmann::json time_value(const std::optional<double>& time) { return time ? nlohmann::json(*time) : nlohmann::json(); }

std::string description(const Duplicate& duplicate) {
  return fmt::format("{}: {} ({}) instead of {} ({}){}", duplicate.key, duplicate.kept, time_text(duplicate.kept_us),
                     duplicate.dropped, time_text(duplicate.dropped_us), duplicate.is_copy ? ", a copy" : "");
}

nlohmann::json to_json_value(const Duplicate& duplicate) {
  return {{"key", duplicate.key},
          {"kept", duplicate.kept},
          {"dropped", duplicate.dropped},
          {"kept_us", time_value(duplicate.kept_us)},
          {"dropped_us", time_value(duplicate.dropped_us)},
          {"copy", duplicate.is_copy}};
}

using MergeFunction = Merged (*)(const std::vector<Sheet>&, MergePolicy);

Merged without_duplicates_of_one(const std::vector<Sheet>& sheets, MergePolicy policy) {
  if (sheets.size() != 1) fail(ErrorCode::usage, "expected one table; several are for gemmtune table merge");
  return without_duplicates(sheets.front(), policy);
}

Merged merge_all(const std::vector<Sheet>& sheets, MergePolicy policy) { return merge(sheets, policy); }

/// Both commands. They differ only in how they merge.
class MergeCommand final : public Command {
 public:
  explicit MergeCommand(MergeFunction function) : merge_(function) {}

  void declare(Options& options) override {
    options.add_option("tables", tables_).required();
    output_.declare(options);
    options.add_option("--policy", policy_);
    options.add_flag("-v,--verbose", verbose_);
    options.add_flag("--json", json_);
  }

  int run() override {
    const auto policy = policy_named(policy_);
    output_.insist_on_new_file(tables_);
    if (json_ && output_.is_stdout())
      fail(ErrorCode::usage, "--json: the report goes to stdout, so the table needs -o");
    const auto sheets = read_sheets(tables_);
    const auto merged = merge_(sheets, policy);
    output_.write(merged.sheet);
    report(sheets, merged);
    return 0;
  }

 private:
  void report(const std::vector<Sheet>& sheets, const Merged& merged) const {
    if (json_)
      show_json(sheets, merged);
    else
      show(sheets, merged);
  }

  static std::size_t rows_of(const std::vector<Sheet>& sheets) {
    return std::accumulate(sheets.begin(), sheets.end(), std::size_t{0},
                           [](std::size_t sum, const Sheet& sheet) { return sum + sheet.rows.size(); });
  }

  static void show_json(const std::vector<Sheet>& sheets, const Merged& merged) {
    auto duplicates = nlohmann::json::array();
    for (const auto& duplicate : merged.duplicates) duplicates.push_back(to_json_value(duplicate));
    const nlohmann::json value{{"files", sheets.size()},
                               {"rows_read", rows_of(sheets)},
                               {"rows_written", merged.sheet.rows.size()},
                               {"unusable_lines", merged.sheet.unusable.size()},
                               {"duplicates", std::move(duplicates)}};
    print_text("{}\n", json_text(value));
  }

  void show(const std::vector<Sheet>& sheets, const Merged& merged) const {
    if (verbose_)
      for (const auto& duplicate : merged.duplicates) print_note("{}\n", description(duplicate));
    const auto copies = std::ranges::count(merged.duplicates, true, &Duplicate::is_copy);
    print_note("{} rows of {} files, {} duplicates ({} of them copies), {} rows written\n", rows_of(sheets),
               sheets.size(), merged.duplicates.size(), copies, merged.sheet.rows.size());
  }

  MergeFunction merge_;
  std::vector<std::string> tables_;
  TableOutput output_;
  std::string policy_{"fastest"};
  bool verbose_{};
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_table_merge_command() { return std::make_unique<MergeCommand>(merge_all); }
std::unique_ptr<Command> make_table_dedupe_command() {
  return std::make_unique<MergeCommand>(without_duplicates_of_one);
}

}  // namespace gemmtune
