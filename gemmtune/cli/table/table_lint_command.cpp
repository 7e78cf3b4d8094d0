#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/dispatch/aiter_folder.h"
#include "gemmtune/exchange/foreign_shapes.h"
#include "gemmtune/table/lint/lint.h"
#include "gemmtune/table/lint/lint_fix.h"

namespace gemmtune {
namespace {

constexpr std::string_view unreadable = "unreadable";  // for errors that belong to no rule

std::string line_of(const Finding& finding) {
  return fmt::format("{}:{}:{}: {}: {}: {}\n", finding.place.file, finding.place.line, finding.place.column,
                     to_string(finding.severity), finding.rule, finding.message);
}

nlohmann::ordered_json to_json_value(const Finding& finding) {
  return {{"file", finding.place.file},     {"line", finding.place.line},
          {"column", finding.place.column}, {"severity", to_string(finding.severity)},
          {"rule", finding.rule},           {"message", finding.message}};
}

std::string rule_list() {
  std::string text;
  for (const auto& rule : lint_rules())
    text += fmt::format("{:<21}{:<9}{}\n", rule.name, to_string(rule.severity), rule.about);
  return text;
}

std::int64_t count_of(const std::vector<Finding>& findings, Severity severity) {
  return std::ranges::count(findings, severity, &Finding::severity);
}

/// The part for one severity of "3 errors (no-time 3), 2 warnings (…), no notes".
std::string counts_text(const std::vector<Finding>& findings, Severity severity) {
  std::map<std::string, int> rules;
  for (const auto& finding : findings)
    if (finding.severity == severity) ++rules[finding.rule];
  std::string text;
  for (const auto& [rule, count] : rules) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rule, count);
  const auto count = count_of(findings, severity);
  return fmt::format("{} {}{}{}", count, to_string(severity), count == 1 ? "" : "s",
                     text.empty() ? "" : " (" + text + ")");
}

class TableLintCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", tables_);
    options.add_option("--aiter", aiter_);
    options.add_option("--kernels", kernel_lists_);
    options.add_option("--rule", choice_.only).split_at(',').one_value_each();
    options.add_option("--ignore", choice_.ignored).split_at(',').one_value_each();
    options.add_option("--err-ratio", input_.err_ratio_limit).in_range(0.0, 1.0);
    options.add_flag("--strict", strict_);
    options.add_flag("--summary", summary_);
    options.add_flag("--json", json_);
    options.add_flag("--list", list_);
    options.add_flag("--fix", fix_);
    options.add_option("-o,--output", output_);
  }

  int run() override {
    if (list_) {
      print_text("{}", rule_list());
      return 0;
    }
    if (fix_ && !aiter_.empty()) fail(ErrorCode::usage, "--fix writes a copy of one table, not of --aiter's");
    if (fix_) return write_clean_copy();
    if (!output_.empty()) fail(ErrorCode::usage, "-o is where --fix writes: add --fix");
    read_inputs();
    auto findings = lint(input_, choice_);
    findings.insert(findings.begin(), unread_.begin(), unread_.end());
    print(findings);
    return is_bad(findings) ? 1 : 0;
  }

 private:
  void read_inputs() {
    for (const auto& path : kernel_lists_) input_.kernel_lists.push_back(read_kernel_list(path));
    if (!tables_.empty() || aiter_.empty())
      for (const auto& path : table_paths(tables_)) read_input(path);
    if (!aiter_.empty())
      for (const auto& path : files_of(aiter_tables(aiter_))) read_input(path);
  }

  static void insist_on_own_kind(const std::filesystem::path& path) {
    const auto kind = foreign_file(path, read_file(path));
    if (kind)
      fail(ErrorCode::input,
           "this is {}, and no table: gemmtune table import makes a table of results, and gemmtune shapes from-log a "
           "list of shapes",
           describe(*kind));
  }

  /// A file that cannot be read is one of the findings. The other files are still checked.
  void read_input(const std::filesystem::path& path) {
    try {
      insist_on_own_kind(path);
      if (path.extension() == ".json")
        input_.triton.push_back(read_lint_triton(path));
      else
        input_.tables.push_back(read_lint_table(path));
    } catch (const Error& error) {
      Place place{path.string(), 1, 1};
      unread_.push_back({std::move(place), Severity::error, std::string(unreadable), error.what()});
    }
  }

  bool is_bad(const std::vector<Finding>& findings) const {
    return count_of(findings, Severity::error) > 0 || (strict_ && count_of(findings, Severity::warning) > 0);
  }

  void print(const std::vector<Finding>& findings) const {
    if (json_) {
      auto list = nlohmann::ordered_json::array();
      for (const auto& finding : findings) list.push_back(to_json_value(finding));
      print_text("{}\n", json_text(list));
      return;
    }
    if (!summary_)
      for (const auto& finding : findings) print_text("{}", line_of(finding));
    for (const auto severity : {Severity::error, Severity::warning, Severity::note})
      print_text("{}\n", counts_text(findings, severity));
  }

  int write_clean_copy() const {
    const auto paths = table_paths(tables_);
    if (output_.empty()) fail(ErrorCode::usage, "--fix writes a clean copy: say where with -o");
    if (paths.size() != 1) fail(ErrorCode::usage, "--fix takes one table, found {}", paths.size());
    if (std::filesystem::exists(output_))
      fail(ErrorCode::usage, "{}: is there already, and is not overwritten", output_);
    const auto fixed = lint_fix(read_lint_table(paths.front()));
    write_file_atomically(output_, fixed.text);
    for (const auto& [place, what] : fixed.changes)
      print_text("{}:{}:{}: {}\n", place.file, place.line, place.column, what);
    print_text("{}: {} rows of {}, {} changed", output_, fixed.rows_after, fixed.rows_before, fixed.rows_changed);
    if (fixed.lines_left > 0) print_text(", {} damaged lines left as they are", fixed.lines_left);
    print_text("\n");
    return 0;
  }

  std::string aiter_;
  std::vector<std::string> tables_;
  std::vector<std::string> kernel_lists_;
  std::string output_;
  RuleChoice choice_;
  LintInput input_;
  std::vector<Finding> unread_;
  bool strict_{};
  bool summary_{};
  bool json_{};
  bool list_{};
  bool fix_{};
};

}  // namespace

std::unique_ptr<Command> make_table_lint_command() { return std::make_unique<TableLintCommand>(); }

}  // namespace gemmtune
