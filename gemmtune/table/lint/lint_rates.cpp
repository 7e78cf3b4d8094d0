// Compares tflops and bw with us and the sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmtune/core/text.h"
#include "gemmtune/table/lint/lint_checks.h"
#include "gemmtune/table/sheet/rates.h"

namespace gemmtune::lint_checks {
namespace {

double half_step(int decimals) { return 0.5 * std::pow(10.0, -decimals); }

/// The columns of one table that a check compares. Each cell tells by its own decimals how far it is rounded: tables
/// hold rows of several tools.
class RateColumn {
 public:
  RateColumn(const LintTable& table, std::string_view name)
      : table_(table),
        column_(table.sheet.column(name)),
        time_(table.sheet.column(Role::time)),
        zero_step_(half_step(decimals_of(table.sheet, column_))) {}

  bool exists() const { return column_.has_value(); }
  Place place(const SheetRow& row) const { return place_of(table_, row, column_); }
  std::string_view text(const SheetRow& row) const { return table_.sheet.text(row, column_); }

  /// The rate that the cell states, if it states one.
  std::optional<Rounded> rate(const SheetRow& row) const {
    const auto value = parse_double(text(row));
    return value && *value > 0 ? std::optional(Rounded{*value, half_step(decimals_in(text(row)))}) : std::nullopt;
  }

  std::optional<Rounded> time(const SheetRow& row) const {
    const auto value = time_us(table_.sheet, row);
    return value ? std::optional(Rounded{*value, half_step(decimals_in(table_.sheet.text(row, time_)))}) : std::nullopt;
  }

  /// Whether a rate this small is written as 0. A 0 does not show its decimals, so the column's count.
  bool rounds_to_zero(double rate) const { return rate < zero_step_ * 1.01; }

 private:
  const LintTable& table_;
  std::optional<std::size_t> column_;
  std::optional<std::size_t> time_;
  double zero_step_;
};

std::string contradiction(std::string_view name, const Rounded& rate, double expected) {
  return fmt::format("{} is {}, but us and the sizes make it {:.2f} ({:+.1f} %)", name, rate.value, expected,
                     (rate.value / expected - 1) * 100);
}

/// `per_us` gives the rates that a row may have, multiplied by its time. The right one comes first.
template <typename PerUs>
Remarks contradictions(const LintInput& input, std::string_view name, const PerUs& per_us) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    const RateColumn column(table, name);
    if (!column.exists()) continue;
    for (const auto& row : table.sheet.rows) {
      const auto rate = column.rate(row);
      const auto time = column.time(row);
      const auto work = work_of(table.sheet, row, table.format);
      if (!rate || !time || !work) continue;
      const std::vector<double> allowed = per_us(*work);
      const auto agree = [&](double value) { return agrees(*rate, value, *time); };
      if (!allowed.empty() && std::ranges::none_of(allowed, agree))
        remarks.push_back({column.place(row), contradiction(name, *rate, allowed.front() / time->value)});
    }
  }
  return remarks;
}

}  // namespace

Remarks contradicting_tflops(const LintInput& input) {
  return contradictions(input, "tflops", [](const Work& work) { return std::vector<double>{work.flops / 1e6}; });
}

Remarks contradicting_bandwidth(const LintInput& input) {
  return contradictions(input, "bw", [](const Work& work) {
    auto rates = work.bytes;
    for (auto& rate : rates) rate /= 1e3;
    return rates;
  });
}

Remarks missing_rates(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    const RateColumn tflops(table, "tflops");
    const RateColumn bandwidth(table, "bw");
    for (const auto& row : table.sheet.rows) {
      const auto work = work_of(table.sheet, row, table.format);
      const auto time = tflops.time(row);
      if (!work || !time) continue;
      const auto is_small = tflops.rounds_to_zero(work->flops / 1e6 / time->value);
      const auto* missing = tflops.exists() && !tflops.rate(row) && !is_small ? &tflops : nullptr;
      if (missing == nullptr && bandwidth.exists() && !bandwidth.rate(row)) missing = &bandwidth;
      if (missing != nullptr)
        remarks.push_back(
            {missing->place(row), fmt::format("{} is '{}', although us is {}", missing == &tflops ? "tflops" : "bw",
                                              missing->text(row), time->value)});
    }
  }
  return remarks;
}

}  // namespace gemmtune::lint_checks
