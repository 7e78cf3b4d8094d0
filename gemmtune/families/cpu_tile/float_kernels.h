// What the float path needs from an instruction set: a table of plain functions (one table in each float_<isa>.cpp).
//
// Everything is multiplied as 32-bit elements: floats, or pairs of bf16 that lie next to each other along K ("pairs"
// below; K then counts pairs). Shapes of panels:
//   A panel  [depth / step][rows][step]  (a tile's rows; step is 1 but for AMX, which loads 16 elements of 16 rows)
//   W panel  [depth][columns]            (a tile's vectors × width)
//   C tile   [rows][columns]
// This header is included by files compiled for other CPUs than this one: plain structs only, nothing inline.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gemmtune::cpu_tile {

/// How elements are stored.
enum class Source : std::uint8_t { f32, bf16, f16, e4m3, e4m3fnuz, i8, bf16_pair };

enum class Sink : std::uint8_t { f32, bf16, f16 };

/// One operand (of one batch) with its scales: row r, element k is values[r·row_bytes + k·size] times
/// scales[(r / row_block)·scale_cols + k / k_block]. Without scales, `scales` points to a 1 and the blocks span
/// everything.
struct Rows {
  const std::byte* values{};
  std::int64_t row_bytes{};
  std::int64_t depth{};  // elements of a row; the last of pairs may be half there
  const float* scales{};
  std::int64_t scale_cols{1};
  std::int64_t row_block{1};
  std::int64_t k_block{1};  // a multiple of 64, or all of K
};

/// c (+)= a·w over `depth` elements.
struct TileArgs {
  const float* a{};
  const float* w{};
  std::int64_t depth{};
  float* c{};
  std::int64_t accumulate{};  // 0: c is overwritten
};
using TileFunction = void (*)(const TileArgs&);

struct FloatTileKernel {
  TileFunction run{};   // null: there is none
  std::int64_t rows{};  // rows of the A panel and of c that it touches; at least as many as asked for
};

/// Decodes rows [first_row, first_row + count) × elements [k_begin, k_end) into out[k - k_begin][stride], zeros for
/// rows from count to stride and for elements past the operand's depth. `stride` is a multiple of the width, or below
/// it.
struct PackArgs {
  std::int64_t first_row{};
  std::int64_t count{};
  std::int64_t stride{};
  std::int64_t k_begin{};
  std::int64_t k_end{};
  float* out{};
};
using PackFunction = void (*)(const Rows&, const PackArgs&);

/// Decodes one row, a vector of elements at a time, each `step` floats behind the one before; zeros past the row's end.
struct RowArgs {
  std::int64_t row{};
  std::int64_t padded_depth{};  // a multiple of the width
  std::int64_t step{};          // the width: one after the other
  float* out{};
};
using RowFunction = void (*)(const Rows&, const RowArgs&);

/// Decodes a W panel that was packed ahead, elements as stored: panel[k][columns] for k in [k_begin, k_end).
struct WidenArgs {
  const std::byte* panel{};  // at k = 0
  std::int64_t columns{};    // a multiple of the width
  std::int64_t first_row{};  // of the weights: the panel's first column
  std::int64_t row_count{};  // columns that exist
  std::int64_t k_begin{};
  std::int64_t k_end{};
  float* out{};
};
using WidenFunction = void (*)(const Rows&, const WidenArgs&);

/// out[r·out_stride + c] = Σ_k a[r·a_stride + k] · w[row + c, k]: weights read once, in the order they lie.
struct StreamArgs {
  const float* a{};
  std::int64_t a_stride{};
  std::int64_t row{};
  float* out{};
  std::int64_t out_stride{};
};
using StreamFunction = void (*)(const Rows&, const StreamArgs&);

struct StreamShape {
  std::int64_t rows{};     // of A
  std::int64_t columns{};  // rows of the weights
  std::int64_t unroll{};   // vectors along K with sums of their own
};

/// out[i] = in[i] (+ bias[i]) rounded to the sink's type; bias may be null.
struct FinishArgs {
  const float* in{};
  const std::byte* bias{};
  std::byte* out{};
  std::int64_t count{};
};
using FinishFunction = void (*)(const FinishArgs&);

struct FloatKernels {
  std::int64_t width{};       // columns of a vector
  std::int64_t depth_step{};  // of A panels; tiles take multiples of this depth, zeros fill up
  bool pairs{};
  std::int64_t (*most_rows)(std::int64_t vectors){};  // of a tile that is so wide; 0: no such tile
  FloatTileKernel (*tile)(std::int64_t rows, std::int64_t vectors){};
  PackFunction (*pack)(Source){};
  RowFunction (*row)(Source){};
  WidenFunction (*widen)(Source){};
  StreamFunction (*stream)(Source, const StreamShape&){};  // null: none of that shape
  FinishFunction (*finish)(Sink){};
  void (*enter)(){};  // before and after a thread's tiles
  void (*leave)(){};
};

const FloatKernels& float_kernels_portable();
const FloatKernels& float_kernels_avx2();
const FloatKernels& float_kernels_avx512();
const FloatKernels& float_kernels_avx512bf16();
const FloatKernels& float_kernels_amxbf16();

}  // namespace gemmtune::cpu_tile
