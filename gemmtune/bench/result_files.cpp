#include "gemmtune/bench/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/bench/result_grids.h"
#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/core/csv.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using nlohmann::ordered_json;

/// The columns of a benchmark. A comparison of tables has more of them.
struct CsvColumns {
  std::vector<std::string> labels{};
  std::vector<std::string> served{};  // labels of tables
  bool has_verdict{};
};

CsvColumns columns_of(const Benchmark& benchmark) {
  CsvColumns columns{.labels = labels_of(benchmark)};
  for (const auto& shape : benchmark.shapes) {
    columns.has_verdict = columns.has_verdict || !shape.verdict.empty();
    for (const auto& [contender, evaluation, screened] : shape.contenders)
      if (contender.served && std::ranges::find(columns.served, contender.label) == columns.served.end())
        columns.served.push_back(contender.label);
  }
  return columns;
}

std::vector<std::string> csv_heading(const CsvColumns& columns) {
  std::vector<std::string> cells{"M", "N", "K"};
  for (const auto& label : columns.labels) {
    cells.push_back(label + "_tflops");
    cells.push_back(label + "_us");
  }
  cells.insert(cells.end(), {"B", "problem", "gfx", "cu_num", "winner"});
  for (const auto& label : columns.served)
    cells.insert(cells.end(), {label + "_kernel", label + "_match", label + "_tuned_m", label + "_us_expected"});
  if (columns.has_verdict) cells.emplace_back("verdict");
  return cells;
}

std::vector<std::string> served_cells(const MeasuredContender* measured) {
  if (measured == nullptr || !measured->contender.served) return {"", "", "", ""};
  const auto& [match, tuned_m, expected_us, split_k, kernel_id] = *measured->contender.served;
  return {measured->contender.candidate.name, std::string(to_string(match)), tuned_m > 0 ? std::to_string(tuned_m) : "",
          expected_us > 0 ? fmt::format("{:.4f}", expected_us) : ""};
}

std::string winners_text(const ShapeBench& shape) {
  std::vector<std::string> labels;
  for (const auto i : shape.winners) labels.push_back(shape.contenders[i].contender.label);
  return join(labels, "=");
}

std::vector<std::string> csv_cells(const Benchmark& benchmark, const ShapeBench& shape, const CsvColumns& columns) {
  const auto& problem = shape.problem;
  std::vector<std::string> cells;
  for (const auto size : {problem.m, problem.n, problem.k}) cells.push_back(std::to_string(size));
  for (const auto& label : columns.labels) {
    const auto* measured = shape.find(label);
    const bool timed = measured != nullptr && measured->has_time();
    cells.push_back(timed ? fmt::format("{:.4f}", tflops(problem, measured->time_us())) : "");
    cells.push_back(timed ? fmt::format("{:.4f}", measured->time_us()) : "");
  }
  cells.insert(cells.end(), {std::to_string(problem.batch), to_string(problem), benchmark.device.arch,
                             std::to_string(benchmark.device.cu_num), winners_text(shape)});
  for (const auto& label : columns.served)
    for (auto& cell : served_cells(shape.find(label))) cells.push_back(std::move(cell));
  if (columns.has_verdict) cells.push_back(shape.verdict);
  return cells;
}

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json timing_json(const Timing& timing) {
  return {{"us", timing.median_us},
          {"us_low", timing.low_us},
          {"us_high", timing.high_us},
          {"us_min", timing.min_us},
          {"us_mean", timing.mean_us},
          {"dispersion", timing.dispersion},
          {"samples", timing.sample_count},
          {"clock_mhz", timing.clock_mhz},
          {"throttled", timing.throttled},
          {"pack_us", timing.pack_us},
          {"packed_bytes", timing.packed_bytes},
          {"workspace_bytes", timing.workspace_bytes}};
}

ordered_json contender_json(const Benchmark& benchmark, const ShapeBench& shape, const MeasuredContender& measured) {
  const auto& evaluation = measured.evaluation;
  const auto& candidate = measured.contender.candidate;
  ordered_json value{{"backend", measured.contender.label},
                     {"is_default", measured.contender.is_default},
                     {"family", candidate.family},
                     {"kernel", candidate.name},
                     {"chosen_by", measured.contender.origin},
                     {"outcome", to_string(evaluation.outcome)},
                     {"reason", evaluation.reason}};
  if (const auto& served = measured.contender.served)
    value.update(
        {{"match", to_string(served->match)}, {"tuned_m", served->tuned_m}, {"us_expected", served->expected_us}});
  if (!measured.has_time()) return value;
  const double time_us = measured.time_us();
  value.update(timing_json(evaluation.timing));
  value["screened_only"] = measured.screened_only;
  value["tflops"] = tflops(shape.problem, time_us);
  value["gbps"] = moved_bytes(shape.problem) / time_us / 1e3;
  value["roofline_share"] = or_null(roofline_share(benchmark, shape.problem, time_us));
  value["err_ratio"] = evaluation.accuracy.err_ratio;
  return value;
}

ordered_json shape_json(const Benchmark& benchmark, const ShapeBench& shape) {
  const auto& problem = shape.problem;
  ordered_json value{{"problem", to_string(problem)},
                     {"m", problem.m},
                     {"n", problem.n},
                     {"k", problem.k},
                     {"batch", problem.batch},
                     {"flops", flops(problem)},
                     {"moved_bytes", moved_bytes(problem)}};
  value["backends"] = ordered_json::array();
  for (const auto& measured : shape.contenders) value["backends"].push_back(contender_json(benchmark, shape, measured));
  value["winners"] = ordered_json::array();
  for (const auto i : shape.winners) value["winners"].push_back(shape.contenders[i].contender.label);
  if (!shape.verdict.empty()) value["verdict"] = shape.verdict;
  return value;
}

ordered_json device_json(const DeviceInfo& device) {
  return {{"id", device_id(device)}, {"name", device.name},     {"gfx", device.arch},
          {"cu_num", device.cu_num}, {"driver", device.driver}, {"libraries", device.libraries}};
}

}  // namespace

std::string bench_csv(const Benchmark& benchmark) {
  const auto columns = columns_of(benchmark);
  auto text = csv_line(csv_heading(columns)) + '\n';
  for (const auto& shape : benchmark.shapes) text += csv_line(csv_cells(benchmark, shape, columns)) + '\n';
  return text;
}

ordered_json bench_json(const Benchmark& benchmark) {
  ordered_json value{{"device", device_json(benchmark.device)}, {"policy", benchmark.policy}};
  value["roofline"] = benchmark.roofline ? roofline_json(*benchmark.roofline) : ordered_json();
  value["shapes"] = ordered_json::array();
  for (const auto& shape : benchmark.shapes) value["shapes"].push_back(shape_json(benchmark, shape));
  return value;
}

std::string bench_markdown(const Benchmark& benchmark) {
  std::string text = "# Benchmark\n\n";
  for (const auto& line : captions(benchmark)) text += "- " + line + '\n';
  text += '\n' + markdown_text(bench_grid(benchmark));
  if (const auto summary = summary_grid(benchmark); !summary.rows.empty())
    text += "\n## Summary\n\n" + markdown_text(summary);
  if (const auto lines = failures(benchmark); !lines.empty()) {
    text += "\n## Without a time\n\n";
    for (const auto& line : lines) text += "- " + line + '\n';
  }
  return text;
}

}  // namespace gemmtune
