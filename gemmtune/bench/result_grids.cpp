#include "gemmtune/bench/result_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gemmtune/core/text.h"
#include "gemmtune/measure/noise.h"
#include "gemmtune/report/comparison_grids.h"
#include "gemmtune/trials/reproducer.h"

namespace gemmtune {
namespace {

/// Whether a family's tuned choice is its default choice.
bool is_default_again(const ShapeBench& shape, const MeasuredContender& measured) {
  const auto* default_choice = shape.find(measured.contender.label + std::string(default_suffix));
  return default_choice != nullptr && !default_choice->contender.candidate.name.empty() &&
         default_choice->contender.candidate == measured.contender.candidate;
}

/// The contenders that have a line of their own. A default choice that is also the tuned choice shares its line.
bool has_line(const ShapeBench& shape, const MeasuredContender& measured) {
  if (!measured.contender.is_default) return true;
  return std::ranges::none_of(shape.contenders, [&](const MeasuredContender& other) {
    return is_default_again(shape, other) &&
           shape.find(other.contender.label + std::string(default_suffix)) == &measured;
  });
}

std::vector<GridCell> timing_cells(const Benchmark& benchmark, const ShapeBench& shape,
                                   const MeasuredContender& measured) {
  const auto outcome = measured.evaluation.outcome;
  if (!measured.has_time())
    return {{outcome == Outcome::ok ? "-" : std::string(to_string(outcome))}, {"-"}, {"-"}, {"-"}, {"-"}};
  const auto& problem = shape.problem;
  const double time_us = measured.time_us();
  const bool wins = shape.is_winner(measured);
  const auto& timing = measured.evaluation.timing;
  return {{time_text(time_us) + (measured.screened_only ? "~" : ""), wins},
          {percent_text(timing.dispersion) + (timing.throttled ? " throttled" : "")},
          {rate_text(tflops(problem, time_us)), wins},
          {fmt::format("{:.1f}", moved_bytes(problem) / time_us / 1e3)},
          {percent_text(roofline_share(benchmark, problem, time_us))}};
}

/// What the table says, beside what was measured.
std::vector<GridCell> expected_cells(const MeasuredContender& measured) {
  const auto& served = measured.contender.served;
  if (!served || served->expected_us <= 0) return {{"-"}, {"-"}};
  return {{time_text(served->expected_us)},
          {measured.has_time() ? fmt::format("{:.2f}", measured.time_us() / served->expected_us) : "-"}};
}

/// The columns that not every benchmark has.
struct ExtraColumns {
  bool served{};
  bool verdict{};
};

ExtraColumns extra_columns(const Benchmark& benchmark) {
  return {.served = has_served(benchmark),
          .verdict = std::ranges::any_of(benchmark.shapes, [](const auto& shape) { return !shape.verdict.empty(); })};
}

/// Everything but the shape and its verdict.
std::vector<GridCell> contender_cells(const Benchmark& benchmark, const ShapeBench& shape,
                                      const MeasuredContender& measured, const ExtraColumns& extras) {
  const auto& label = measured.contender.label;
  const auto& candidate = measured.contender.candidate;
  const bool both = is_default_again(shape, measured);
  std::vector<GridCell> cells{{}, {both ? label + " = default" : label, shape.is_winner(measured)}};
  for (auto& cell : timing_cells(benchmark, shape, measured)) cells.push_back(std::move(cell));
  if (extras.served)
    for (auto& cell : expected_cells(measured)) cells.push_back(std::move(cell));
  cells.push_back({candidate.name.empty() ? "-" : candidate.name});
  cells.push_back({measured.contender.origin});
  return cells;
}

std::vector<GridColumn> bench_columns(const ExtraColumns& extras) {
  std::vector<GridColumn> columns{{"shape"},        {"backend"},    {"us", true},      {"spread", true},
                                  {"TFLOPS", true}, {"GB/s", true}, {"roofline", true}};
  if (extras.served) columns.insert(columns.end(), {{"us in table", true}, {"measured/table", true}});
  columns.insert(columns.end(), {{"kernel"}, {"chosen by"}});
  if (extras.verdict) columns.push_back({"verdict"});
  return columns;
}

/// A column's shapes, and how its times compare with those of other columns.
struct ColumnSummary {
  std::size_t shapes{};
  std::size_t fastest{};
  double worst_behind{1};
  double log_behind{};
  std::size_t with_default{};
  double log_gain{};
};

double best_us(const ShapeBench& shape) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& measured : shape.contenders)
    if (measured.has_time()) best = std::min(best, measured.time_us());
  return best;
}

void take(ColumnSummary& summary, const ShapeBench& shape, const std::string& label) {
  const auto* measured = shape.find(label);
  if (measured == nullptr || !measured->has_time()) return;
  const double behind = measured->time_us() / best_us(shape);
  ++summary.shapes;
  summary.fastest += shape.is_winner(*measured) ? 1 : 0;
  summary.worst_behind = std::max(summary.worst_behind, behind);
  summary.log_behind += std::log(behind);
  const auto* default_choice = shape.find(label + std::string(default_suffix));
  if (default_choice == nullptr || !default_choice->has_time()) return;
  ++summary.with_default;
  summary.log_gain += std::log(default_choice->time_us() / measured->time_us());
}

double mean_of(double log_sum, std::size_t count) { return std::exp(log_sum / static_cast<double>(count)); }

std::vector<GridCell> summary_cells(const std::string& label, const ColumnSummary& summary) {
  std::vector<GridCell> cells{{label}, {std::to_string(summary.shapes)}, {std::to_string(summary.fastest)}};
  const bool any = summary.shapes > 0;
  cells.push_back({any ? fmt::format("{:.2f}x", mean_of(summary.log_behind, summary.shapes)) : "-"});
  cells.push_back({any ? fmt::format("{:.2f}x", summary.worst_behind) : "-"});
  cells.push_back(
      {summary.with_default > 0 ? fmt::format("{:.2f}x", mean_of(summary.log_gain, summary.with_default)) : "-"});
  return cells;
}

/// The bandwidth, and the peaks of the types that the shapes have.
std::string roofline_text(const Benchmark& benchmark) {
  const auto& roofline = benchmark.roofline;
  if (!roofline) return "roofline: not known of this device; `gemmtune bench roofline` measures and remembers it";
  std::set<std::string> types;
  for (const auto& shape : benchmark.shapes) types.insert(peak_key(shape.problem));
  auto text = fmt::format("roofline: copies {:.1f} GB/s", roofline->copy_gbps);
  for (const auto& type : types) {
    const auto peak = roofline->peaks.find(type);
    text += peak == roofline->peaks.end() ? fmt::format(", {} not measured", type)
                                          : fmt::format(", {} {} TFLOPS", type, rate_text(peak->second.tflops));
  }
  return text + ", as of " + roofline->date;
}

std::string noise_note(const Benchmark& benchmark) {
  std::vector<double> dispersions;
  for (const auto& shape : benchmark.shapes)
    for (const auto& measured : shape.contenders)
      if (measured.has_time()) dispersions.push_back(measured.evaluation.timing.dispersion);
  return noise_remark(dispersions);
}

/// Describes a failure, with the command that reproduces it if there is a kernel to run.
std::string failure_text(const ShapeBench& shape, const MeasuredContender& measured) {
  const auto& candidate = measured.contender.candidate;
  auto text = fmt::format("{} {} {}: ", to_string(shape.problem), measured.contender.label,
                          to_string(measured.evaluation.outcome));
  if (candidate.name.empty()) return text + measured.evaluation.reason;
  return text + fmt::format("{}: {}; see {}", candidate.name, measured.evaluation.reason,
                            reproducer("gemmtune", shape.problem, measured.evaluation));
}

}  // namespace

std::string time_text(double time_us) {
  if (time_us >= 10'000) return fmt::format("{:.0f}", time_us);
  return time_us >= 100 ? fmt::format("{:.1f}", time_us) : fmt::format("{:.3f}", time_us);
}

std::string percent_text(std::optional<double> share) { return share ? fmt::format("{:.1f} %", *share * 100) : "-"; }

Grid bench_grid(const Benchmark& benchmark) {
  const auto extras = extra_columns(benchmark);
  Grid grid{.columns = bench_columns(extras)};
  for (const auto& shape : benchmark.shapes) {
    bool is_first = true;
    for (const auto& measured : shape.contenders) {
      if (!has_line(shape, measured)) continue;
      auto& row = grid.rows.emplace_back(contender_cells(benchmark, shape, measured, extras));
      if (is_first) row.front().text = to_string(shape.problem);
      if (extras.verdict) row.push_back({is_first ? shape.verdict : ""});
      is_first = false;
    }
  }
  return grid;
}

Grid summary_grid(const Benchmark& benchmark) {
  Grid grid{.columns = {{"backend"},
                        {"shapes", true},
                        {"fastest", true},
                        {"behind the fastest", true},
                        {"at worst", true},
                        {"against its default", true}}};
  const auto labels = labels_of(benchmark);
  if (labels.size() < 2) return grid;
  for (const auto& label : labels) {
    ColumnSummary summary;
    for (const auto& shape : benchmark.shapes) take(summary, shape, label);
    grid.rows.push_back(summary_cells(label, summary));
  }
  return grid;
}

std::vector<std::string> failures(const Benchmark& benchmark) {
  std::vector<std::string> lines;
  for (const auto& shape : benchmark.shapes)
    for (const auto& measured : shape.contenders)
      if (measured.evaluation.outcome != Outcome::ok && has_line(shape, measured))
        lines.push_back(failure_text(shape, measured));
  return lines;
}

std::vector<std::string> captions(const Benchmark& benchmark) {
  const auto& device = benchmark.device;
  std::vector<std::string> lines{fmt::format("{} {} ({}, {} units), {}", device_id(device), device.name, device.arch,
                                             device.cu_num, device.driver),
                                 "measured: " + benchmark.policy, roofline_text(benchmark)};
  if (auto note = noise_note(benchmark); !note.empty()) lines.push_back(std::move(note));
  return lines;
}

}  // namespace gemmtune
