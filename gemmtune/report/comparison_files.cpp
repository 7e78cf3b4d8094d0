#include "gemmtune/report/comparison_files.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/comparison_grids.h"
#include "gemmtune/report/pair_summary.h"

namespace gemmtune {
namespace {

using nlohmann::ordered_json;

std::string or_empty(bool known, const std::string& text) { return known ? text : std::string(); }

std::vector<std::string> csv_heading(const Comparison& comparison) {
  std::vector<std::string> cells{"gfx", "cu_num", "problem", "B", "M", "N", "K"};
  for (const auto& backend : comparison.backends) {
    cells.push_back(backend + "_tflops");
    cells.push_back(backend + "_us");
  }
  cells.insert(cells.end(), {"winner", "winner_kernel", "ratio"});
  return cells;
}

std::vector<std::string> csv_cells(const Comparison& comparison, const ComparedShape& shape) {
  const auto& [device, problem, types_known] = shape.shape;
  std::vector<std::string> cells{device.gfx, or_empty(device.cu_num > 0, std::to_string(device.cu_num)),
                                 or_empty(types_known, to_string(problem))};
  for (const auto size : {problem.batch, problem.m, problem.n, problem.k}) cells.push_back(std::to_string(size));
  for (const auto& backend : comparison.backends) {
    const auto best = shape.best.find(backend);
    const bool known = best != shape.best.end() && !best->second.apart;  // readers take a line's times for one batch's
    cells.push_back(known ? fmt::format("{:.4f}", best->second.tflops) : "");
    cells.push_back(known ? shortest(best->second.measurement.time_us) : "");
  }
  cells.push_back(join(shape.winners, "="));
  cells.push_back(shape.winners.empty() ? "" : shape.best.at(shape.winners.front()).measurement.kernel);
  cells.push_back(shape.ratio ? fmt::format("{:.4f}", *shape.ratio) : "");
  return cells;
}

ordered_json best_json(const Best& best, const Roof& roof) {
  const auto& m = best.measurement;
  ordered_json value{{"tflops", best.tflops},    {"us", m.time_us},          {"kernel", m.kernel},
                     {"err_ratio", m.err_ratio}, {"where", m.where},         {"screened_only", m.screened_only},
                     {"proven", !m.unproven},    {"comparable", !best.apart}};
  if (m.has_interval()) value["us_interval"] = {m.low_us, m.high_us};
  if (const auto share = share_of_roof(roof, m.shape, best.tflops)) value["roofline_share"] = *share;
  return value;
}

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json shape_json(const ComparedShape& shape, const RoofOf& roof_of) {
  const auto roof = roof_of && shape.shape.types_known ? roof_of(shape.shape) : Roof{};
  auto best = ordered_json::object();
  for (const auto& [backend, fastest] : shape.best) best[backend] = best_json(fastest, roof);
  const auto& problem = shape.shape.problem;
  return {{"shape", shape_text(shape.shape)},
          {"device", to_string(shape.shape.device)},
          {"m", problem.m},
          {"n", problem.n},
          {"k", problem.k},
          {"batch", problem.batch},
          {"backends", std::move(best)},
          {"winners", shape.winners},
          {"best_alternative", or_null(shape.alternative)},
          {"ratio", or_null(shape.ratio)}};
}

ordered_json pair_json(const PairSummary& pair) {
  return {{"first", pair.first},
          {"second", pair.second},
          {"shapes", pair.shapes},
          {"faster", pair.faster},
          {"slower", pair.slower},
          {"tied", pair.tied},
          {"min", pair.min},
          {"max", pair.max},
          {"mean", pair.mean},
          {"geometric_mean", pair.geometric_mean},
          {"min_at", shape_text(pair.min_at->shape)},
          {"max_at", shape_text(pair.max_at->shape)}};
}

ordered_json skipped_json(const Skipped& skipped) {
  const auto& m = skipped.measurement;
  return {{"shape", shape_text(m.shape)}, {"backend", m.backend},
          {"kernel", m.kernel},           {"reason", to_string(skipped.reason)},
          {"why", skipped.text},          {"outcome", to_string(m.outcome)},
          {"err_ratio", m.err_ratio},     {"where", m.where}};
}

ordered_json shape_list(const std::vector<const ComparedShape*>& shapes) {
  auto list = ordered_json::array();
  for (const auto* shape : shapes) list.push_back(shape_text(shape->shape));
  return list;
}

std::string section(const std::string& title, const Grid& grid) {
  return grid.rows.empty() ? std::string() : fmt::format("\n## {}\n\n{}", title, markdown_text(grid));
}

std::string skipped_section(const Comparison& comparison, SkipReason reason) {
  constexpr std::size_t shown = 50;
  const auto count = count_skipped(comparison, reason);
  auto text =
      section(fmt::format("Left out, {}: {}", to_string(reason), count), skipped_grid(comparison, reason, shown));
  if (count > shown) text += fmt::format("\nand {} more.\n", count - shown);
  return text;
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  auto text = csv_line(csv_heading(comparison)) + '\n';
  for (const auto& shape : comparison.shapes) text += csv_line(csv_cells(comparison, shape)) + '\n';
  return text;
}

ordered_json pairs_json(const Comparison& comparison) {
  auto list = ordered_json::array();
  for (const auto& pair : pair_summaries(comparison)) list.push_back(pair_json(pair));
  return list;
}

ordered_json comparison_json(const Comparison& comparison, const RoofOf& roof_of) {
  ordered_json value{{"primary", comparison.primary},
                     {"backends", comparison.backends},
                     {"err_ratio_limit", comparison.err_ratio_limit},
                     {"measurements", comparison.measurements}};
  value["shapes"] = ordered_json::array();
  for (const auto& shape : comparison.shapes) value["shapes"].push_back(shape_json(shape, roof_of));
  value["pairs"] = pairs_json(comparison);
  value["primary_loses"] = shape_list(shapes_lost(comparison));
  value["primary_missing"] = shape_list(shapes_missed(comparison));
  value["skipped"] = ordered_json::array();
  for (const auto& skipped : comparison.skipped) value["skipped"].push_back(skipped_json(skipped));
  return value;
}

std::string comparison_markdown(const Comparison& comparison) {
  auto text = fmt::format("# Backends compared\n\n{}. TFLOPS; the winner is bold.\n\n{}", caption(comparison),
                          markdown_text(comparison_grid(comparison)));
  if (const auto note = notes_on_marks(comparison); !note.empty()) text += '\n' + note;
  text += section("Speed-ups", pairs_grid(comparison));
  text += section(fmt::format("Where {} loses", comparison.primary),
                  lost_grid(comparison, std::numeric_limits<std::size_t>::max()));
  for (const auto reason : all_skip_reasons) text += skipped_section(comparison, reason);
  return text;
}

}  // namespace gemmtune
