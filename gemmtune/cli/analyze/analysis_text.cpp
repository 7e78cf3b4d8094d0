#include "gemmtune/cli/analyze/analysis_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/comparison_grids.h"

namespace gemmtune {
namespace {

std::string emphasised(const GridCell& cell, const TextStyle& style) {
  if (!cell.strong) return cell.text;
  return style.colour ? fmt::format("{}{}{}", colour_of_the_best, cell.text, no_colour) : cell.text + '*';
}

/// The text of a cell. If `makes_room` is set, a blank replaces a missing star, so that numbers in a column stay
/// aligned.
std::string plain(const GridCell& cell, bool makes_room, const TextStyle& style) {
  return makes_room && !cell.strong ? cell.text + ' ' : emphasised(cell, style);
}

std::vector<bool> columns_with_stars(const Grid& grid, const TextStyle& style) {
  std::vector<bool> starred(grid.columns.size());
  for (const auto& row : grid.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i].strong && grid.columns[i].numeric && !style.colour) starred[i] = true;
  return starred;
}

std::string section(const std::string& title, const Grid& grid, const TextStyle& style) {
  return grid.rows.empty() ? std::string() : fmt::format("\n{}\n{}", title, text_of(grid, style));
}

std::string and_more(std::size_t count, const TextStyle& style) {
  return count <= style.listed ? "" : fmt::format("and {} more: --verbose lists all\n", count - style.listed);
}

std::string missed(const Comparison& comparison, const TextStyle& style) {
  const auto shapes = shapes_missed(comparison);
  if (shapes.empty()) return {};
  auto text = fmt::format("\n{} has no usable kernel for {} of {} shapes:\n", comparison.primary, shapes.size(),
                          comparison.shapes.size());
  for (std::size_t i = 0; i < std::min(shapes.size(), style.listed); ++i)
    text += "  " + shape_text(comparison, shapes[i]->shape) + '\n';
  return text + and_more(shapes.size(), style);
}

std::string skipped(const Comparison& comparison, SkipReason reason, const TextStyle& style) {
  const auto count = count_skipped(comparison, reason);
  const auto title =
      fmt::format("{} of {} measurements left out, {}:", count, comparison.measurements, to_string(reason));
  return section(title, skipped_grid(comparison, reason, style.listed), style) + and_more(count, style);
}

std::string lost(const Comparison& comparison, const TextStyle& style) {
  const auto count = shapes_lost(comparison).size();
  const auto title = fmt::format("{} loses on {} of {} shapes:", comparison.primary, count, comparison.shapes.size());
  return section(title, lost_grid(comparison, style.listed), style) + and_more(count, style);
}

}  // namespace

TextStyle style_of_stdout() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return {.colour = ::isatty(STDOUT_FILENO) == 1 && !dumb && std::getenv("NO_COLOR") == nullptr};
}

std::string text_of(const Grid& grid, const TextStyle& style) {
  const auto starred = columns_with_stars(grid, style);
  std::vector<std::vector<std::string>> rows(1);
  std::vector<Align> alignment;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    rows.front().push_back(plain({grid.columns[i].name}, starred[i], style));
    alignment.push_back(grid.columns[i].numeric ? Align::right : Align::left);
  }
  for (const auto& row : grid.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(plain(row[i], starred[i], style));
  }
  return text_grid(rows, alignment);
}

std::string analysis_text(const Comparison& comparison, const TextStyle& style) {
  auto text = fmt::format("{}; TFLOPS\n{}", caption(comparison), text_of(comparison_grid(comparison), style));
  text += notes_on_marks(comparison);
  text += section("speed-ups:", pairs_grid(comparison), style);
  text += lost(comparison, style) + missed(comparison, style);
  for (const auto reason : all_skip_reasons) text += skipped(comparison, reason, style);
  return text;
}

}  // namespace gemmtune
