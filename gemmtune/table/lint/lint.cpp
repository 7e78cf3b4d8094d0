#include "gemmtune/table/lint/lint.h"

#include <algorithm>
#include <array>
#include <map>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/lint/lint_checks.h"

namespace gemmtune {
namespace {

void require_rules(const std::vector<std::string>& names) {
  for (const auto& name : names)
    if (std::ranges::find(lint_rules(), name, &LintRule::name) == lint_rules().end())
      fail(ErrorCode::usage, "there is no rule '{}': see gemmtune table lint --list", name);
}

bool is_chosen(const RuleChoice& choice, std::string_view rule) {
  const auto named = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, rule) != names.end();
  };
  return (choice.only.empty() || named(choice.only)) && !named(choice.ignored);
}

/// The position of each file among the inputs.
std::map<std::string, std::size_t> ranks_of(const LintInput& input) {
  std::map<std::string, std::size_t> ranks;
  for (const auto& table : input.tables) ranks.emplace(table.document.source, ranks.size());
  for (const auto& triton : input.triton) ranks.emplace(triton.file.source, ranks.size());
  return ranks;
}

}  // namespace

std::string_view to_string(Severity severity) {
  constexpr std::array<std::string_view, 3> names{"note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

LintTable lint_table_of(std::string text, std::string source) {
  LintTable table{.text = std::move(text)};
  table.document = parse_csv(without_comments(table.text), std::move(source));
  table.sheet = sheet_of(table.document);
  table.format = guess_format(table.document);
  if (table.format && table.format->is_mixed) table.format.reset();
  return table;
}

LintTable read_lint_table(const std::filesystem::path& path) { return lint_table_of(read_file(path), path.string()); }

LintTriton read_lint_triton(const std::filesystem::path& path) {
  auto text = read_file(path);
  auto file = parse_triton_json(text, path.string());
  return {.text = std::move(text), .file = std::move(file), .name = parse_triton_path(path)};
}

const std::vector<LintRule>& lint_rules() {
  using enum Severity;
  namespace checks = lint_checks;
  static const std::vector<LintRule> rules{
      {"no-time", error, "us is 0, below 0, inf, nan or empty: no lookup should serve the row", checks::no_time},
      {"shadowed-row", error, "another row of the file has the same key and is faster", checks::shadowed_rows},
      {"shadowed-across", error, "a row of another file has the same key and is faster", checks::shadowed_across_files},
      {"device-contradiction", error, "gfx and cu_num belong to different devices", checks::contradicting_device},
      {"no-device", error, "neither gfx nor cu_num is given", checks::no_device},
      {"wrong-result", error, "the share of wrong elements is over the limit", checks::wrong_results},
      {"unknown-kernel", error, "a kernel that the lists given by --kernels do not have", checks::unknown_kernels},
      {"unusable-line", error, "a size of 0, a time or a key that is none, cells too many", checks::unusable_lines},
      {"short-row", error, "fewer cells than columns: the line was cut, or a cell is missing", checks::short_rows},
      {"no-reader", error, "nothing can read the file: its columns are those of no table",
       checks::tables_without_reader},
      {"shifted-columns", error, "the cells fit their columns only one place further", checks::shifted_columns},
      {"unasked-tokens", warning, "no padding of fused MoE asks for this number of tokens", checks::unasked_tokens},
      {"swapped-sizes", warning, "M and N look exchanged", checks::swapped_sizes},
      {"odd-cell", warning, "a cell that is not what its column holds", checks::odd_cells},
      {"tflops-contradiction", warning, "tflops does not follow from us and the sizes", checks::contradicting_tflops},
      {"bw-contradiction", warning, "bw does not follow from us and the sizes", checks::contradicting_bandwidth},
      {"rate-missing", warning, "tflops or bw is 0, below 0 or empty beside a good us", checks::missing_rates},
      {"two-ids", warning, "one kernel under two ids", checks::kernels_under_two_ids},
      {"repeated-shape", warning, "a shape that stands twice in a list", checks::repeated_shapes},
      {"triton-dead-key", warning, "a key of a Triton file that no M reaches", checks::dead_triton_keys},
      {"triton-unserved", warning, "an M that no key of a Triton file serves", checks::unserved_triton_sizes},
      {"only-an-id", note, "no kernelName: the id alone means another kernel in the next build",
       checks::rows_with_only_an_id},
      {"long-row", note, "empty cells beyond the last column", checks::long_rows},
      {"blanks", note, "blanks or tabs around cells", checks::blanks_around_cells},
      {"blank-line", note, "lines without anything", checks::blank_lines},
      {"crlf", note, "lines end in CR and LF", checks::crlf},
      {"no-final-newline", note, "the last line has no end", checks::no_final_newline},
      {"no-rows", note, "a header only", checks::no_rows}};
  return rules;
}

std::vector<Finding> lint(const LintInput& input, const RuleChoice& choice) {
  require_rules(choice.only);
  require_rules(choice.ignored);
  std::vector<Finding> findings;
  for (const auto& rule : lint_rules())
    if (is_chosen(choice, rule.name))
      for (auto& [place, message] : rule.check(input))
        findings.push_back({std::move(place), rule.severity, std::string(rule.name), std::move(message)});
  const auto ranks = ranks_of(input);
  std::ranges::stable_sort(findings, {}, [&](const Finding& finding) {
    return std::tuple(ranks.at(finding.place.file), finding.place.line, finding.place.column);
  });
  return findings;
}

const CsvRow& line_at(const LintTable& table, std::int64_t line) {
  return *std::ranges::lower_bound(table.document.rows, line, {}, &CsvRow::line);
}

Place place_of(const LintTable& table, const SheetRow& row, std::optional<std::size_t> column) {
  const auto& cells = line_at(table, row.line).cells;
  const auto& cell = column && *column < cells.size() ? cells[*column] : cells.back();
  return {table.document.source, row.line, cell.column};
}

}  // namespace gemmtune
