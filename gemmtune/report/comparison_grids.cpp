#include "gemmtune/report/comparison_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "gemmtune/core/text.h"
#include "gemmtune/report/pair_summary.h"

namespace gemmtune {
namespace {

std::string types_text(const ShapeId& shape) {
  if (!shape.types_known) return "not said";
  const auto text = to_string(shape.problem);
  return text.substr(text.find(':') + 1);
}

std::string device_text(const ShapeId& shape) {
  const auto text = to_string(shape.device);
  return text.empty() ? "not said" : text;
}

std::string sizes_text(const Problem& p) {
  return fmt::format("{}x{}x{}", p.m, p.n, p.k) + (p.batch > 1 ? fmt::format(":batch={}", p.batch) : "");
}

std::string ratio_text(double ratio) { return fmt::format("{:.3f}", ratio); }

/// A column of the comparison: what it shows for a shape.
struct ShapeColumn {
  GridColumn heading{};
  std::function<GridCell(const ComparedShape&)> cell{};
};

ShapeColumn size_column(const char* name, std::int64_t Problem::*size) {
  return {{name, true}, [size](const ComparedShape& s) { return GridCell{std::to_string(s.shape.problem.*size)}; }};
}

const char* mark_of(const Best& best) {
  if (best.apart) return "~";
  return best.measurement.unproven ? "?" : "";
}

ShapeColumn backend_column(const std::string& backend) {
  return {{backend, true}, [backend](const ComparedShape& s) {
            const auto best = s.best.find(backend);
            if (best == s.best.end()) return GridCell{"-"};
            const bool wins = std::ranges::find(s.winners, backend) != s.winners.end();
            return GridCell{rate_text(best->second.tflops) + mark_of(best->second), wins};
          }};
}

std::string winners_text(const ComparedShape& shape) {
  return shape.winners.empty() ? "none" : join(shape.winners, "=");
}

std::vector<ShapeColumn> shape_columns(const Comparison& comparison) {
  std::vector<ShapeColumn> columns{size_column("M", &Problem::m), size_column("N", &Problem::n),
                                   size_column("K", &Problem::k)};
  if (!comparison.one_type)
    columns.push_back({{"types"}, [](const ComparedShape& s) { return GridCell{types_text(s.shape)}; }});
  if (!comparison.one_device)
    columns.push_back({{"device"}, [](const ComparedShape& s) { return GridCell{device_text(s.shape)}; }});
  for (const auto& backend : comparison.backends) columns.push_back(backend_column(backend));
  columns.push_back({{"best"}, [](const ComparedShape& s) { return GridCell{winners_text(s)}; }});
  columns.push_back({{comparison.primary + "/best other", true},
                     [](const ComparedShape& s) { return GridCell{s.ratio ? ratio_text(*s.ratio) : "-"}; }});
  return columns;
}

std::vector<GridCell> pair_cells(const PairSummary& pair) {
  return {{pair.first + " / " + pair.second},
          {std::to_string(pair.shapes)},
          {std::to_string(pair.faster)},
          {std::to_string(pair.slower)},
          {std::to_string(pair.tied)},
          {ratio_text(pair.min)},
          {ratio_text(pair.max)},
          {ratio_text(pair.mean)},
          {ratio_text(pair.geometric_mean)}};
}

}  // namespace

std::string shape_text(const ShapeId& shape) {
  return shape.types_known ? to_string(shape.problem) : sizes_text(shape.problem);
}

std::string shape_text(const Comparison& comparison, const ShapeId& shape) {
  const auto text = comparison.one_type ? sizes_text(shape.problem) : shape_text(shape);
  return comparison.one_device ? text : fmt::format("{} on {}", text, device_text(shape));
}

std::string rate_text(double tflops) {
  if (tflops >= 1000) return fmt::format("{:.1f}", tflops);
  return tflops >= 1 ? fmt::format("{:.2f}", tflops) : fmt::format("{:.4f}", tflops);
}

std::string caption(const Comparison& comparison) {
  const auto& shapes = comparison.shapes;
  auto text = fmt::format("{} shape{}", shapes.size(), shapes.size() == 1 ? "" : "s");
  if (shapes.empty()) return text;
  const auto& first = shapes.front().shape;
  if (comparison.one_type) text += fmt::format(", types {}", types_text(first));
  if (comparison.one_device) text += fmt::format(", device {}", device_text(first));
  return text;
}

std::string notes_on_marks(const Comparison& comparison) {
  std::string text;
  if (const auto apart = count_apart(comparison); apart > 0)
    text += fmt::format(
        "~: {} of the times were not taken together with the winner's, and are not compared; 'gemmtune bench' times "
        "kernels together\n",
        apart);
  if (const auto unproven = count_unproven(comparison); unproven > 0)
    text += fmt::format("?: {} of the times are of candidates that were not proven, which never win\n", unproven);
  return text;
}

Grid comparison_grid(const Comparison& comparison) {
  const auto columns = shape_columns(comparison);
  Grid grid;
  for (const auto& column : columns) grid.columns.push_back(column.heading);
  for (const auto& shape : comparison.shapes) {
    auto& row = grid.rows.emplace_back();
    for (const auto& column : columns) row.push_back(column.cell(shape));
  }
  return grid;
}

Grid pairs_grid(const Comparison& comparison) {
  Grid grid{.columns = {{"speed-up of"},
                        {"shapes", true},
                        {"faster", true},
                        {"slower", true},
                        {"tied", true},
                        {"min", true},
                        {"max", true},
                        {"mean", true},
                        {"geometric mean", true}}};
  for (const auto& pair : pair_summaries(comparison)) grid.rows.push_back(pair_cells(pair));
  return grid;
}

Grid lost_grid(const Comparison& comparison, std::size_t limit) {
  Grid grid{.columns = {{"shape"}, {comparison.primary, true}, {"best", true}, {"by"}, {"ratio", true}, {"kernel"}}};
  for (const auto* shape : shapes_lost(comparison)) {
    if (grid.rows.size() == limit) break;
    const auto& winner = shape->best.at(shape->winners.front());
    grid.rows.push_back({{shape_text(comparison, shape->shape)},
                         {rate_text(shape->best.at(comparison.primary).tflops)},
                         {rate_text(winner.tflops), true},
                         {winners_text(*shape)},
                         {ratio_text(shape->ratio.value_or(0))},
                         {winner.measurement.kernel}});
  }
  return grid;
}

Grid skipped_grid(const Comparison& comparison, SkipReason reason, std::size_t limit) {
  Grid grid{.columns = {{"shape"}, {"backend"}, {"kernel"}, {"why"}, {"where"}}};
  for (const auto& skipped : comparison.skipped) {
    if (skipped.reason != reason || grid.rows.size() == limit) continue;
    const auto& m = skipped.measurement;
    grid.rows.push_back({{shape_text(comparison, m.shape)}, {m.backend}, {m.kernel}, {skipped.text}, {m.where}});
  }
  return grid;
}

}  // namespace gemmtune
