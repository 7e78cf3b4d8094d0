// What the int8 kernels of all instruction sets share: the layout of rows and columns in memory, and the four functions
// that each instruction set provides. The loops that call them are in int8_engine.h.
//
// Rows of A are stored in row panels of a tile's height h, as [k / 64][h][64] elements. Columns (rows of the weights)
// are stored in column panels of 16, as [k / 4][16][4] bytes, which is the order that vpdpbusd and TDPBSSD read. K is
// padded with zero weights to whole steps of 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune::cpu_tile {

inline constexpr std::int64_t k_step = 64;
inline constexpr std::int64_t panel_columns = 16;
inline constexpr std::int64_t panel_step_bytes = k_step * panel_columns;
inline constexpr std::int64_t scale_block = 32;  // of K, for MXFP4
inline constexpr std::size_t tallest_tile = 32;

/// The form in which a kernel reads the values of A.
enum class RowForm : std::uint8_t {
  s8,
  u8_plus_128,  // for vpdpbusd, which multiplies unsigned × signed; 128 · (sum of the column) is subtracted afterwards
  s16,          // for vpmaddwd: pairs of int8 products are exact in 32 bits, while vpmaddubsw would saturate
};

inline std::int64_t element_bytes(RowForm form) { return form == RowForm::s16 ? 2 : 1; }

/// One tile over part of K: acc[r][c] (+)= sum of a · w.
struct TileJob {
  const std::byte* a{};     // a row panel at the first step
  const std::byte* w{};     // the first column panel at the first step
  std::int64_t w_stride{};  // bytes from one column panel to the next
  std::int64_t k_steps{};
  std::int64_t rows{};  // requested rows: 1 … the tile's height
  std::int32_t* acc{};  // [height][width]
  bool accumulate{};    // false: start from zero
};

/// Converts exact sums to the output: (acc - correction) · row_scale · col_scale + bias. For 16-bit types the result is
/// rounded only once, as long as the scales are powers of two that keep the product a normal float.
struct FinishJob {
  const std::int32_t* acc{};
  std::int64_t acc_stride{};
  std::int64_t rows{};
  std::int64_t cols{};
  const float* row_scale{};
  const float* col_scale{};
  const std::int32_t* correction{};  // null if there is none
  const std::byte* bias{};           // of the output's type; null if there is none
  std::byte* out{};
  std::int64_t out_stride{};  // elements
  DType type{DType::f32};
};

/// Expands the MXFP4 codes of one row to the values 2·E2M1 · 2^shift, where shift is min(scale - shift_base, 3), or 0
/// if that is negative.
struct ExpandRowJob {
  const std::uint8_t* codes{};   // k / 2 bytes
  const std::uint8_t* scales{};  // one for each 32 of K
  std::int64_t k{};
  std::uint8_t shift_base{};
  RowForm form{};
  std::byte* out{};           // at the row's first element
  std::int64_t out_stride{};  // bytes from one step of 64 to the next
};

/// The same for a column panel that is stored as nibbles. In each 64 bytes, byte 4·column + j has k = 8g + j in its low
/// nibble and k = 8g + 4 + j in its high one.
struct ExpandPanelJob {
  const std::uint8_t* nibbles{};     // k_steps × 512 bytes
  const std::uint8_t* scales{};      // [2 · k_steps][16]
  const std::uint8_t* shift_base{};  // [16]
  std::int64_t k_steps{};
  std::byte* out{};  // k_steps × 1024 bytes
};

/// Computes the unscaled sums of one row with 16 columns over 32 of K.
struct BlockDotJob {
  const std::byte* a{};  // 32 elements
  RowForm form{};
  const std::byte* w{};  // 512 bytes of a column panel
  std::int32_t* dots{};  // [16]
};

struct TileKernel {
  std::int64_t m{};
  std::int64_t n{};
  void (*run)(const TileJob&){};
};

/// The kernels of one instruction set.
struct Int8Isa {
  std::string_view label{};
  RowForm form{};
  std::span<const TileKernel> tiles{};
  void (*finish)(const FinishJob&){};
  void (*expand_row)(const ExpandRowJob&){};
  void (*expand_panel)(const ExpandPanelJob&){};
  void (*block_dot)(const BlockDotJob&){};
  void (*enter)(){};  // runs on each thread before its first tile; leave() runs after its last
  void (*leave)(){};

  const TileKernel* tile(std::int64_t m, std::int64_t n) const;
};

/// The kernels of this build, the fastest first. isa.h says whether a CPU can run them.
std::span<const Int8Isa> int8_isas();

/// The instruction set with this label, or null.
const Int8Isa* find_int8_isa(std::string_view label);

}  // namespace gemmtune::cpu_tile
