#include "gemmtune/families/cpu_tile/mxfp4_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "gemmtune/families/cpu_tile/exact_round.h"

namespace gemmtune::cpu_tile {
namespace {

using Sums = std::array<double, panel_columns>;

/// Computes one row with one column panel.
class RowByPanel {
 public:
  RowByPanel(const BlockTile& tile, std::int64_t row, std::int64_t panel)
      : tile_(tile), row_(row), panel_(panel), isa_(*tile.setup.choice.isa) {}

  Sums sums() const {
    Sums total{};
    const std::int64_t blocks = (tile_.setup.problem.k + scale_block - 1) / scale_block;
    for (std::int64_t b = 0; b < blocks; ++b) add_block(b, total);
    return total;
  }

 private:
  void add_block(std::int64_t b, Sums& total) const {
    std::array<std::int32_t, panel_columns> dots{};
    std::array<std::byte, panel_step_bytes> expanded;
    const std::byte* rows = tile_.output.rows;
    const std::int64_t offset =
        tile_.output.engine.row_offset(tile_.span.batch, tile_.span.row + row_, b * scale_block);
    isa_.block_dot({.a = rows + offset, .form = isa_.form, .w = values(b, expanded), .dots = dots.data()});
    const double row_unit = unit_of(row_scale(b));
    for (std::size_t c = 0; c < panel_columns; ++c) total[c] += dots[c] * row_unit * unit_of(column_scale(b, c));
  }

  std::uint8_t row_scale(std::int64_t b) const {
    if (tile_.folds[row_].kind == FoldKind::folded) return tile_.folds[row_].base;
    const std::int64_t blocks = (tile_.setup.problem.k + scale_block - 1) / scale_block;
    const std::int64_t row = tile_.span.batch * tile_.setup.problem.m + tile_.span.row + row_;
    return std::to_integer<std::uint8_t>(tile_.output.operands.a_scale[row * blocks + b]);
  }

  const std::uint8_t* block_scales(std::int64_t b) const {
    return tile_.columns.block_scales + panel_ * tile_.setup.layout.panel_scale_bytes() + b * panel_columns;
  }

  std::uint8_t column_scale(std::int64_t b, std::size_t c) const {
    const std::int64_t column = panel_ * panel_columns + static_cast<std::int64_t>(c);
    return tile_.columns.kind[column] == FoldKind::folded ? tile_.columns.base[column] : block_scales(b)[c];
  }

  /// Block b of the panel as int8. If the panel is stored as nibbles, they are expanded into `space`.
  const std::byte* values(std::int64_t b, std::array<std::byte, panel_step_bytes>& space) const {
    const std::byte* panel = tile_.columns.values + panel_ * tile_.setup.layout.panel_bytes();
    if (tile_.setup.layout.packing == ColumnPacking::int8) return panel + b * scale_block * panel_columns;
    const std::int64_t step = b / 2;
    isa_.expand_panel({.nibbles = reinterpret_cast<const std::uint8_t*>(panel) + step * panel_step_bytes / 2,
                       .scales = block_scales(2 * step),
                       .shift_base = tile_.columns.shift_base + panel_ * panel_columns,
                       .k_steps = 1,
                       .out = space.data()});
    return space.data() + b % 2 * scale_block * panel_columns;
  }

  const BlockTile& tile_;
  std::int64_t row_;
  std::int64_t panel_;
  const Int8Isa& isa_;
};

void store(const BlockTile& tile, std::int64_t row, std::int64_t column, double sum) {
  const Problem& problem = tile.setup.problem;
  if (tile.folds[row].kind == FoldKind::nan || tile.columns.kind[column] == FoldKind::nan) {
    sum = std::numeric_limits<double>::quiet_NaN();
  }
  if (problem.epilogue.bias) sum = add_to_odd(sum, load_as_float(tile.output.operands.bias, problem.out, column));
  const std::int64_t at = (tile.span.batch * problem.m + tile.span.row + row) * problem.n + column;
  store_rounded(sum, tile.output.operands.c, problem.out, at);
}

/// The tile's columns [first, last) must be in one panel.
void finish_panel(const BlockTile& tile, std::int64_t first, std::int64_t last) {
  const FoldKind* kinds = tile.columns.kind;
  const auto by_blocks = [](FoldKind kind) { return kind == FoldKind::blocks; };
  const bool any_column = std::any_of(kinds + first, kinds + last, by_blocks);
  const std::int64_t panel = first / panel_columns;
  for (std::int64_t r = 0; r < tile.span.rows; ++r) {
    const bool whole_row = by_blocks(tile.folds[r].kind);
    if (!whole_row && !any_column) continue;
    const Sums sums = RowByPanel(tile, r, panel).sums();
    for (std::int64_t c = first; c < last; ++c) {
      const double sum = sums[static_cast<std::size_t>(c % panel_columns)];
      if (whole_row || by_blocks(kinds[c])) store(tile, r, c, sum);
    }
  }
}

}  // namespace

void finish_by_blocks(const BlockTile& tile) {
  const std::int64_t end = tile.span.col + tile.span.cols;
  for (std::int64_t first = tile.span.col; first < end;) {
    const std::int64_t last = std::min(end, (first / panel_columns + 1) * panel_columns);
    finish_panel(tile, first, last);
    first = last;
  }
}

}  // namespace gemmtune::cpu_tile
