#include "gemmtune/families/cpu_tile/mxfp4_columns.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gemmtune/families/cpu_tile/nibbles.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t chunk = 256;  // elements of K that are expanded at a time, in whole steps

/// Writes eight consecutive codes of a column to four bytes: codes 0…3 to the low nibbles, 4…7 to the high ones (as in
/// ExpandPanelJob).
void scatter_codes(const Mxfp4Row& row, std::byte* panel_column) {
  const std::int64_t bytes = row.k / 2;
  for (std::int64_t at = 0; at < bytes; at += 4, panel_column += 4 * panel_columns) {
    std::uint8_t codes[4] = {};
    std::copy_n(row.codes + at, std::min<std::int64_t>(4, bytes - at), codes);
    const std::uint32_t word = panel_nibbles(codes);
    for (int j = 0; j < 4; ++j) panel_column[j] = static_cast<std::byte>(word >> (8 * j));
  }
}

/// Expands a column in chunks and sums it. Unless the panel is stored as nibbles, writes the values to the folded
/// panel.
class ColumnExpander {
 public:
  ColumnExpander(const Int8Isa& isa, const Mxfp4Row& row, std::uint8_t shift_base)
      : isa_(isa), row_(row), shift_base_(shift_base) {}

  std::int32_t scatter(std::byte* panel_column) const {
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < row_.k; k += chunk) sum += scatter_column(expanded(k), k, panel_column);
    return sum;
  }

  std::int32_t sum() const {
    std::int32_t total = 0;
    for (std::int64_t k = 0; k < row_.k; k += chunk) {
      for (const std::int8_t value : expanded(k)) total += value;
    }
    return total;
  }

 private:
  std::span<const std::int8_t> expanded(std::int64_t k) const {
    const std::int64_t count = std::min(chunk, row_.k - k);
    isa_.expand_row({.codes = row_.codes + k / 2,
                     .scales = row_.scales + k / scale_block,
                     .k = count,
                     .shift_base = shift_base_,
                     .form = RowForm::s8,
                     .out = reinterpret_cast<std::byte*>(values_.data()),
                     .out_stride = k_step});
    return {values_.data(), static_cast<std::size_t>(count)};
  }

  const Int8Isa& isa_;
  Mxfp4Row row_;
  std::uint8_t shift_base_;
  mutable std::array<std::int8_t, chunk> values_{};
};

void note_fold(const ColumnsToPack& columns, std::int64_t column, const Fold& fold) {
  columns.kind[column] = fold.kind;
  columns.base[column] = fold.base;
  columns.shift_base[column] = fold.shift_base();
  columns.scale[column] = row_factor(fold);
}

void pack_column(const PanelSetup& setup, const PanelJob& job, std::int64_t c) {
  const Problem& problem = setup.problem;
  const std::int64_t column = job.first() + c;
  const Mxfp4Row row = mxfp4_row(job.operands.w, job.operands.w_scale, problem.k, job.batch * problem.n + column);
  const Fold fold = fold_of(row);
  note_fold(job.columns, column, fold);
  std::uint8_t* scales = job.columns.block_scales + job.panel * setup.layout.panel_scale_bytes() + c;
  for (std::int64_t b = 0; b < row.blocks(); ++b) scales[b * panel_columns] = row.scales[b];
  std::byte* values = job.columns.values + job.panel * setup.layout.panel_bytes() + 4 * c;
  const ColumnExpander expander(*setup.choice.isa, row, fold.shift_base());
  const bool nibbles = setup.layout.packing == ColumnPacking::nibble;
  if (nibbles) scatter_codes(row, values);
  job.columns.correction[column] = 128 * (nibbles ? expander.sum() : expander.scatter(values));
}

}  // namespace

Mxfp4Row mxfp4_row(const std::byte* values, const std::byte* scales, std::int64_t k, std::int64_t row) {
  const std::int64_t blocks = (k + scale_block - 1) / scale_block;
  return {.codes = reinterpret_cast<const std::uint8_t*>(values) + row * (k / 2),
          .scales = reinterpret_cast<const std::uint8_t*>(scales) + row * blocks,
          .k = k};
}

void pack_mxfp4_panel(const PanelSetup& setup, const PanelJob& job) {
  const ColumnLayout& layout = setup.layout;
  if (job.rows < panel_columns || setup.problem.k % k_step != 0) {
    std::memset(job.columns.values + job.panel * layout.panel_bytes(), 0,
                static_cast<std::size_t>(layout.panel_bytes()));
    std::memset(job.columns.block_scales + job.panel * layout.panel_scale_bytes(), 0,
                static_cast<std::size_t>(layout.panel_scale_bytes()));
  }
  for (std::int64_t c = 0; c < job.rows; ++c) pack_column(setup, job, c);
  for (std::int64_t c = job.rows; c < panel_columns; ++c) {
    note_fold(job.columns, job.first() + c, {.base = 128});
    job.columns.correction[job.first() + c] = 0;
  }
}

}  // namespace gemmtune::cpu_tile
