// Packed weights for the int8 kernels: the parts of a packed column, for one batch element, and how columns are packed.
#pragma once

#include <type_traits>

#include "gemmtune/families/cpu_tile/int8_kernels.h"

namespace gemmtune::cpu_tile {

/// Whether the values are stored as int8, or as MXFP4 codes that are expanded shortly before they are multiplied.
enum class ColumnPacking : std::uint8_t { int8, nibble };

/// How an MXFP4 row or column is multiplied; see mxfp4_fold.h.
enum class FoldKind : std::uint8_t { folded, blocks, nan };

/// Addresses of the parts of the packed columns. The parts from `block_scales` on are only for MXFP4. `Byte` is
/// std::byte while they are written and const std::byte while they are read.
template <typename Byte>
struct ColumnParts {
  template <typename T>
  using Part = std::conditional_t<std::is_const_v<Byte>, const T*, T*>;

  Byte* values{};                   // column panels
  Part<std::int32_t> correction{};  // 128 · sum of the column
  Part<float> scale{};
  Part<std::uint8_t> block_scales{};  // [panel][2 · k_steps][16]
  Part<std::uint8_t> base{};          // smallest scale byte of a folded column
  Part<std::uint8_t> shift_base{};    // the same, but 255 for columns that are not folded
  Part<FoldKind> kind{};
};

using PackedColumns = ColumnParts<const std::byte>;
using ColumnsToPack = ColumnParts<std::byte>;

/// The sizes of these parts; `columns` is padded to whole tiles.
struct ColumnLayout {
  std::int64_t columns{};
  std::int64_t k_steps{};
  ColumnPacking packing{ColumnPacking::int8};
  bool block_scales{};

  std::int64_t panels() const { return columns / panel_columns; }
  std::int64_t panel_bytes() const { return k_steps * panel_step_bytes / (packing == ColumnPacking::nibble ? 2 : 1); }
  std::int64_t panel_scale_bytes() const { return 2 * k_steps * panel_columns; }

  /// The bytes of one batch element, a multiple of 64.
  std::int64_t bytes() const;
  PackedColumns at(const std::byte* start) const;
  ColumnsToPack at(std::byte* start) const;
};

/// 16 rows of the weights. Some of them may be beyond the last row.
struct PanelSource {
  const std::byte* w{};  // [rows][k] int8
  std::int64_t rows{};
  std::int64_t k{};
};

/// Packs one panel of int8 and computes the sums of its columns.
void pack_int8_panel(const PanelSource& source, std::byte* values, std::int32_t* correction);

/// Spreads `count` consecutive values of one column over its panel, from depth k on (a multiple of 4), and returns
/// their sum.
std::int32_t scatter_column(std::span<const std::int8_t> values, std::int64_t k, std::byte* panel_column);

}  // namespace gemmtune::cpu_tile
