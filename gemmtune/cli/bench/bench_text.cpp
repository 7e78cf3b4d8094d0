#include "gemmtune/cli/bench/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "gemmtune/bench/result_grids.h"
#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::size_t shortest_name = 16;
constexpr std::size_t readable_name = 24;  // other columns go before names become shorter

// What matters least goes first. How a table's row was found, and what the row says, is why a table is measured.
constexpr std::array<std::string_view, 5> least_of_families{"GB/s", "chosen by", "TFLOPS", "spread", "roofline"};
constexpr std::array<std::string_view, 5> least_of_tables{"GB/s", "TFLOPS", "roofline", "spread", "us in table"};

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const auto line : split(text, '\n')) widest = std::max(widest, shown_width(line));
  return widest;
}

std::size_t place_of(const Grid& grid, std::string_view column) {
  return static_cast<std::size_t>(std::ranges::find(grid.columns, column, &GridColumn::name) - grid.columns.begin());
}

bool has(const Grid& grid, std::string_view column) { return place_of(grid, column) < grid.columns.size(); }

void drop(Grid& grid, std::string_view column) {
  const auto place = static_cast<std::ptrdiff_t>(place_of(grid, column));
  grid.columns.erase(grid.columns.begin() + place);
  for (auto& row : grid.rows)
    if (std::ssize(row) > place) row.erase(row.begin() + place);
}

void cut(Grid& grid, std::string_view column, std::size_t longest) {
  const auto place = place_of(grid, column);
  for (auto& row : grid.rows)
    if (place < row.size()) row[place].text = cut_in_the_middle(row[place].text, longest);
}

constexpr std::string_view indent = "  ";  // of contenders, below their shape

/// A table of contenders, and the lines that stand above those of a shape.
struct Blocks {
  Grid grid{};
  std::vector<std::string> headings{};  // one for each row; "": the row belongs to the shape above
  std::vector<std::string> left_out{};  // columns
  bool cuts_names{};
};

Blocks in_blocks(Grid grid) {
  Blocks blocks;
  const auto verdict = place_of(grid, "verdict");
  for (const auto& row : grid.rows) {
    const auto& said = verdict < row.size() ? row[verdict].text : "";
    blocks.headings.push_back(row.front().text + (said.empty() ? "" : ": " + said));
  }
  drop(grid, "shape");
  if (has(grid, "verdict")) drop(grid, "verdict");
  blocks.grid = std::move(grid);
  return blocks;
}

/// How long names may be.
std::size_t left_for(std::string_view column, const Grid& grid, const TextStyle& style, std::size_t width) {
  auto others = grid;
  drop(others, column);
  constexpr std::size_t between = 2;
  return width - std::min(width, widest_line(text_of(others, style)) + between);
}

std::size_t widest_cell(const Grid& grid, std::string_view column) {
  const auto place = place_of(grid, column);
  std::size_t widest = 0;
  for (const auto& row : grid.rows)
    if (place < row.size()) widest = std::max(widest, row[place].text.size());
  return widest;
}

bool is_empty(const Grid& grid, std::string_view column) {
  const auto place = place_of(grid, column);
  return std::ranges::all_of(grid.rows, [&](const auto& row) { return row[place].text == "-"; });
}

/// The columns in the order in which they go: first those that say nothing, as the roofline of an unknown device.
std::vector<std::string_view> columns_to_drop(const Grid& grid) {
  const auto& usual = has(grid, "measured/table") ? least_of_tables : least_of_families;
  std::vector<std::string_view> columns;
  std::ranges::copy_if(usual, std::back_inserter(columns), [&](auto column) { return has(grid, column); });
  std::ranges::stable_partition(columns, [&](auto column) { return is_empty(grid, column); });
  return columns;
}

void cut_names(Blocks& blocks, std::string_view column, std::size_t longest) {
  if (widest_cell(blocks.grid, column) <= longest) return;
  cut(blocks.grid, column, longest);
  blocks.cuts_names = true;
}

void fit(Blocks& blocks, const TextStyle& style, std::size_t width) {
  auto& grid = blocks.grid;
  const auto room_for = [&](std::string_view column) {
    return std::max(shortest_name, left_for(column, grid, style, width));
  };
  const bool is_of_tables = has(grid, "measured/table");
  if (is_of_tables && widest_line(text_of(grid, style)) > width) cut_names(blocks, "chosen by", readable_name);
  const auto wanted = std::min(widest_cell(grid, "kernel"), readable_name);
  for (const auto column : columns_to_drop(grid)) {
    if (left_for("kernel", grid, style, width) >= wanted) break;
    drop(grid, column);
    blocks.left_out.emplace_back(column);
  }
  cut_names(blocks, "kernel", room_for("kernel"));
  if (is_of_tables) cut_names(blocks, "chosen by", room_for("chosen by"));
}

std::string text_of(const Blocks& blocks, const TextStyle& style, std::size_t width) {
  const auto table = text_of(blocks.grid, style);
  const auto lines = split(table, '\n');
  constexpr std::size_t heading_lines = 2;
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i >= heading_lines && i - heading_lines < blocks.headings.size())
      if (const auto& heading = blocks.headings[i - heading_lines]; !heading.empty())
        text += wrapped(heading, width) + '\n';
    if (!lines[i].empty()) text += fmt::format("{}{}\n", indent, lines[i]);
  }
  return text;
}

std::string note_on(const Blocks& blocks) {
  std::vector<std::string> words;
  if (!blocks.left_out.empty()) words.push_back("without " + join(blocks.left_out, ", "));
  if (blocks.cuts_names) words.emplace_back("with names that are cut");
  if (words.empty()) return {};
  return join(words, ", ") + ", to fit the terminal: --csv, --json and files (-o) have everything\n";
}

std::string table_of(const Benchmark& benchmark, const TextStyle& style, std::size_t width) {
  auto grid = bench_grid(benchmark);
  auto text = text_of(grid, style);
  if (width == 0 || widest_line(text) <= width) return text;
  auto blocks = in_blocks(std::move(grid));
  fit(blocks, style, width - std::min(width, indent.size()));
  return text_of(blocks, style, width) + wrapped(note_on(blocks), width);
}

std::string summary_of(const Benchmark& benchmark, const TextStyle& style, std::size_t width) {
  auto summary = summary_grid(benchmark);
  if (summary.rows.empty()) return {};
  if (width > 0 && widest_line(text_of(summary, style)) > width) {
    summary.columns.at(place_of(summary, "behind the fastest")).name = "behind";
    summary.columns.at(place_of(summary, "against its default")).name = "vs default";
  }
  return '\n' + text_of(summary, style);
}

}  // namespace

std::string bench_text(const Benchmark& benchmark, const TextStyle& style, std::size_t width) {
  auto text = wrapped(join(captions(benchmark), "\n"), width) + "\n\n" + table_of(benchmark, style, width) +
              summary_of(benchmark, style, width);
  const auto lines = failures(benchmark);
  if (!lines.empty()) text += "\nwithout a time:\n  " + join(lines, "\n  ") + '\n';
  return text;
}

}  // namespace gemmtune
