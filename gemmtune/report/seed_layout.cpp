#include "gemmtune/report/seed_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"
#include "gemmtune/report/comparison_grids.h"
#include "gemmtune/report/grid.h"
#include "gemmtune/report/pair_summary.h"

namespace gemmtune {
namespace {

struct SeedBackend {
  std::string_view id;
  std::string_view title;
};

constexpr std::array<SeedBackend, 4> seed_backends{
    {{"triton", "Triton"}, {"gluon", "Gluon"}, {"cktile", "CK-Tile"}, {"asm", "ASM"}}};

std::string title_of(const std::string& backend) {
  const auto known = std::ranges::find(seed_backends, backend, &SeedBackend::id);
  return known == seed_backends.end() ? backend : std::string(known->title);
}

std::vector<std::string> columns_of(const Comparison& comparison) {
  std::vector<std::string> backends;
  for (const auto& each : seed_backends) backends.emplace_back(each.id);
  for (const auto& backend : comparison.backends)
    if (std::ranges::find(backends, backend) == backends.end()) backends.push_back(backend);
  return backends;
}

/// The guide has whole TFLOPS, which say nothing of small shapes.
std::string whole_rate_text(double tflops) {
  constexpr double small = 10;
  return tflops < small ? rate_text(tflops) : fmt::format("{:.0f}", tflops);
}

std::string titles_of(const std::vector<std::string>& backends) {
  std::vector<std::string> titles;
  for (const auto& backend : backends) titles.push_back(title_of(backend));
  return titles.empty() ? "none" : join(titles, "=");
}

GridCell cell_of(const ComparedShape& shape, const std::string& backend) {
  const auto best = shape.best.find(backend);
  if (best == shape.best.end()) return {"-"};
  return {whole_rate_text(best->second.tflops), std::ranges::find(shape.winners, backend) != shape.winners.end()};
}

Grid seed_grid(const Comparison& comparison) {
  const auto backends = columns_of(comparison);
  Grid grid{.columns = {{"Shape (MxNxK)"}}};
  for (const auto& backend : backends) grid.columns.push_back({title_of(backend)});
  grid.columns.push_back({"Best"});
  grid.columns.push_back({title_of(comparison.primary) + "/Best-Alt"});
  for (const auto& shape : comparison.shapes) {
    auto& row = grid.rows.emplace_back();
    row.push_back({shape_text(comparison, shape.shape)});
    for (const auto& backend : backends) row.push_back(cell_of(shape, backend));
    row.push_back({titles_of(shape.winners)});
    row.push_back({shape.ratio ? fmt::format("{:.2f}x", *shape.ratio) : "-"});
  }
  return grid;
}

std::string cell_text(const GridCell& cell) { return cell.strong ? "**" + cell.text + "**" : cell.text; }

/// Markdown whose source is a table too. Nothing in it has a bar.
std::string aligned_markdown(const Grid& grid) {
  std::vector<std::vector<std::string>> rows(2);
  for (const auto& column : grid.columns) rows.front().push_back(column.name);
  for (const auto& row : grid.rows) {
    auto& cells = rows.emplace_back();
    for (const auto& cell : row) cells.push_back(cell_text(cell));
  }
  std::string text;
  std::vector<std::size_t> widths(grid.columns.size());
  for (std::size_t i = 0; i < widths.size(); ++i)
    for (const auto& row : rows)
      if (!row.empty()) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    text += '|';
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += row.empty() ? std::string(widths[i] + 2, '-') + '|' : fmt::format(" {:<{}} |", row[i], widths[i]);
    text += '\n';
  }
  return text;
}

/// The four pairs of the guide, then the primary with each backend that the guide does not have.
std::string pairs_text(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> pairs{
      {"asm", "cktile"}, {"asm", "gluon"}, {"asm", "triton"}, {"gluon", "triton"}};
  for (const auto& backend : columns_of(comparison))
    if (std::ranges::find(seed_backends, backend, &SeedBackend::id) == seed_backends.end())
      pairs.emplace_back(comparison.primary, backend);
  std::string text;
  for (const auto& [first, second] : pairs)
    if (const auto pair = pair_summary(comparison, first, second); pair && first != second)
      text += fmt::format("{} vs {}: min {:.2f}x, max {:.2f}x, mean {:.2f}x speedup\n", title_of(first),
                          title_of(second), pair->min, pair->max, pair->mean);
  return text;
}

std::string list_text(const std::vector<std::string>& shapes) { return shapes.empty() ? "none" : join(shapes, ", "); }

std::string lost_text(const Comparison& comparison) {
  std::vector<std::string> shapes;
  for (const auto* shape : shapes_lost(comparison)) shapes.push_back(shape_text(comparison, shape->shape));
  return list_text(shapes);
}

std::string wrong_text(const Comparison& comparison) {
  std::vector<std::string> shapes;
  for (const auto& skipped : comparison.skipped) {
    if (skipped.reason != SkipReason::over_error_limit) continue;
    auto text = shape_text(comparison, skipped.measurement.shape);
    if (std::ranges::find(shapes, text) == shapes.end()) shapes.push_back(std::move(text));
  }
  return list_text(shapes);
}

}  // namespace

std::string seed_layout_text(const Comparison& comparison) {
  auto text = aligned_markdown(seed_grid(comparison));
  if (const auto note = notes_on_marks(comparison); !note.empty()) text += '\n' + note;
  text += '\n' + pairs_text(comparison);
  text += fmt::format("\nShapes where {} loses to another backend: {}\n", title_of(comparison.primary),
                      lost_text(comparison));
  return text + fmt::format("Shapes with errRatio > {}: {}\n", comparison.err_ratio_limit, wrong_text(comparison));
}

}  // namespace gemmtune
