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
  explicit Fixer(const LintTable& table) : table_(table), input_{.tables = {table}} {
    for (const auto& finding : lint(input_, {.only = names(computing)})) recomputed_.insert(finding.place.line);
    for (const auto& finding : lint(input_, {.only = {"shifted-columns"}})) recomputed_.erase(finding.place.line);
    for (const auto& finding : lint(input_, {.only = names(dropping)}))
      if (dropped_.try_emplace(finding.place.line, finding.message).second)
        note(finding.place, "dropped: " + finding.message);
  }

  FixedTable fix() {
    std::vector<std::string> header;
    for (const auto& column : table_.sheet.columns) header.push_back(column.name);
    fixed_.text = csv_line(header) + '\n';
    fixed_.rows_before = table_.document.rows.size();
    for (const auto& row : table_.sheet.rows)
      if (!dropped_.contains(row.line)) add(row);
    std::ranges::stable_sort(fixed_.changes, {}, [](const Remark& change) { return change.place; });
    return std::move(fixed_);
  }

 private:
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
  LintInput input_;
  std::map<std::int64_t, std::string> dropped_;  // the reason for each dropped line
  std::set<std::int64_t> recomputed_;            // lines with new rates
  FixedTable fixed_;
};

}  // namespace

FixedTable lint_fix(const LintTable& table) { return Fixer(table).fix(); }

}  // namespace gemmtune
