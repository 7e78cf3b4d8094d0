#include "gemmtune/table/lint/lint_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "gemmtune/core/text.h"
#include "gemmtune/table/lint/lint_checks.h"
#include "gemmtune/table/sheet/rates.h"

namespace gemmtune {
namespace {

/// The rules whose rows are dropped.
constexpr std::array<std::string_view, 7> dropping{"no-time",       "shadowed-row",   "device-contradiction",
                                                   "no-device",     "unasked-tokens", "unusable-line",
                                                   "repeated-shape"};

/// The rules whose cells are computed again.
constexpr std::array<std::string_view, 3> computing{"tflops-contradiction", "bw-contradiction", "rate-missing"};

std::vector<std::string> names(std::span<const std::string_view> rules) { return {rules.begin(), rules.end()}; }

/// The rate as AITER's tuners write it: rounded to two decimals, in the shortest form.
std::string rate_text(double rate) { return shortest(parse_double(fmt::format("{:.2f}", rate)).value_or(rate)); }

class Fixer {
 public:
  explicit Fixer(const LintTable& table) : table_(table) {
    find_damage();
    const auto sound = without_damage();
    for (const auto& finding : lint(sound, {.only = names(computing)})) recomputed_.insert(finding.place.line);
    for (const auto& finding : lint(sound, {.only = names(dropping)}))
      if (!damaged_.contains(finding.place.line) && dropped_.try_emplace(finding.place.line, finding.message).second)
        note(finding.place, "dropped: " + finding.message);
  }

  FixedTable fix() {
    std::vector<std::string> header;
    for (const auto& column : table_.sheet.columns) header.push_back(column.name);
    fixed_.text = csv_line(header) + '\n';
    fixed_.rows_before = table_.document.rows.size();
    auto row = table_.sheet.rows.begin();
    for (const auto& line : table_.document.rows) {
      const bool is_row = row != table_.sheet.rows.end() && row->line == line.line;
      if (damaged_.contains(line.line))
        leave(line);
      else if (is_row && !dropped_.contains(line.line))
        add(*row);
      if (is_row) ++row;
    }
    std::ranges::stable_sort(fixed_.changes, {}, [](const Remark& change) { return change.place; });
    return std::move(fixed_);
  }

 private:
  void find_damage() {
    LintInput input{.tables = {table_}};
    for (const auto& finding : lint(input, {.only = {"short-row", "shifted-columns"}}))
      mark(finding.place, finding.message);
    for (const auto& finding : lint(input, {.only = {"unusable-line"}}))
      if (line_at(table_, finding.place.line).cells.size() > table_.sheet.columns.size())
        mark(finding.place, finding.message);
  }

  void mark(const Place& place, const std::string& message) {
    if (damaged_.insert(place.line).second) note(place, "left as it is: " + message);
  }

  /// The table without the rows whose cells may be in the wrong place.
  LintInput without_damage() const {
    LintInput input{.tables = {table_}};
    std::erase_if(input.tables.front().sheet.rows, [this](const SheetRow& row) { return damaged_.contains(row.line); });
    return input;
  }

  void leave(const CsvRow& line) {
    std::vector<std::string> cells;
    for (const auto& cell : line.cells) cells.push_back(cell.text);
    fixed_.text += csv_line(cells) + '\n';
    ++fixed_.lines_left;
  }

  void add(const SheetRow& row) {
    auto cells = row.cells;
    if (recomputed_.contains(row.line)) {
      set_rate(cells, row, "tflops");
      set_rate(cells, row, "bw");
    }
    fixed_.text += csv_line(cells) + '\n';
    ++fixed_.rows_after;
    fixed_.rows_changed += cells == row.cells ? 0 : 1;
  }

  void set_rate(std::vector<std::string>& cells, const SheetRow& row, std::string_view name) {
    const auto column = table_.sheet.column(name);
    const auto rate = rate_of(row, name);
    if (!column || !rate || cells[*column] == rate_text(*rate)) return;
    note(place_of(table_, row, column), fmt::format("{}: {} instead of '{}'", name, rate_text(*rate), cells[*column]));
    cells[*column] = rate_text(*rate);
  }

  std::optional<double> rate_of(const SheetRow& row, std::string_view name) const {
    const auto time = time_us(table_.sheet, row);
    const auto work = work_of(table_.sheet, row, table_.format);
    if (!time || !work) return std::nullopt;
    if (name == "tflops") return work->flops / *time / 1e6;
    return work->bytes.empty() ? std::nullopt : std::optional(work->bytes.front() / *time / 1e3);
  }

  void note(const Place& place, std::string what) { fixed_.changes.push_back({place, std::move(what)}); }

  const LintTable& table_;
  std::set<std::int64_t> damaged_;               // lines
  std::map<std::int64_t, std::string> dropped_;  // by line: why
  std::set<std::int64_t> recomputed_;            // lines
  FixedTable fixed_;
};

}  // namespace

FixedTable lint_fix(const LintTable& table) { return Fixer(table).fix(); }

}  // namespace gemmtune
