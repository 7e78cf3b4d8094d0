// What the float path needs from an instruction set: a table of plain functions (one table in each float_<isa>.cpp).
//
// All elements have 32 bits: they are floats, or pairs of bf16 that are neighbours along K ("pairs" below; K then
// counts pairs). Shapes of panels:
//   A panel  [depth / step][rows][step]  (a tile's rows; step is 1 except for AMX, which loads 16 elements of 16 rows)
//   W panel  [depth][columns]            (a tile's vectors × width)
//   C tile   [rows][columns]
// This header is included by files compiled for other CPUs than this one, so it has plain structs only and nothing
// inline.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gemmtune::cpu_tile {

/// How elements are stored.
enum class Source : std::uint8_t { f32, bf16, f16, e4m3, e4m3fnuz, i8, bf16_pair };

enum class Sink : std::uint8_t { f32, bf16, f16 };

/// One operand (of one batch) with its scales: element k of row r is values[r·row_bytes + k·size] times scales[(r /
/// row_block)·scale_cols + k / k_block]. Without scales, `scales` points to a 1 and the blocks cover everything.
struct Rows {
  const std::byte* values{};
  std::int64_t row_bytes{};
  std::int64_t depth{};  // elements of a row; the last pair of a row may be only half there
  const float* scales{};
  std::int64_t scale_cols{1};
  std::int64_t row_block{1};
  std::int64_t k_block{1};  // a multiple of 64, or all of K
};

/// c (+)= a·w over `depth` elements along K.
struct TileArgs {
  const float* a{};
  const float* w{};
  std::int64_t depth{};
  float* c{};
  std::int64_t accumulate{};  // 0: c is overwritten; otherwise the product is added to c
};
using TileFunction = void (*)(const TileArgs&);

struct FloatTileKernel {
  TileFunction run{};   // null if there is no such tile
  std::int64_t rows{};  // rows of the A panel and of c that the kernel accesses; at least as many as requested
};

/// Decodes rows [first_row, first_row + count) × elements [k_begin, k_end) into out[k - k_begin][stride]. Rows from
/// count to stride, and elements beyond the operand's depth, are zeros. `stride` is a multiple of the width, or less
/// than it.
struct PackArgs {
  std::int64_t first_row{};
  std::int64_t count{};
  std::int64_t stride{};
  std::int64_t k_begin{};
  std::int64_t k_end{};
  float* out{};
};
using PackFunction = void (*)(const Rows&, const PackArgs&);

/// Decodes one row, a vector of elements at a time, with `step` floats from one vector to the next. Elements beyond the
/// row's end are zeros.
struct RowArgs {
  std::int64_t row{};
  std::int64_t padded_depth{};  // a multiple of the width
  std::int64_t step{};          // equal to the width: vectors are contiguous
  float* out{};
};
using RowFunction = void (*)(const Rows&, const RowArgs&);

/// Decodes a W panel that was packed in advance with elements as stored: panel[k][columns] for k in [k_begin, k_end).
struct WidenArgs {
  const std::byte* panel{};  // the panel at k = 0
  std::int64_t columns{};    // a multiple of the width
  std::int64_t first_row{};  // row of the weights that is the panel's first column
  std::int64_t row_count{};  // columns that exist
  std::int64_t k_begin{};
  std::int64_t k_end{};
  float* out{};
};
using WidenFunction = void (*)(const Rows&, const WidenArgs&);

/// out[r·out_stride + c] = Σ_k a[r·a_stride + k] · w[row + c, k]. Weights are read once, in the order in which they are
/// stored.
struct StreamArgs {
  const float* a{};
  std::int64_t a_stride{};
  std::int64_t row{};
  float* out{};
  std::int64_t out_stride{};
};
using StreamFunction = void (*)(const Rows&, const StreamArgs&);

struct StreamShape {
  std::int64_t rows{};     // rows of A
  std::int64_t columns{};  // rows of the weights
  std::int64_t unroll{};   // vectors along K that have separate sums
};

/// out[i] = in[i] (+ bias[i]), rounded to the sink's type. `bias` may be null.
struct FinishArgs {
  const float* in{};
  const std::byte* bias{};
  std::byte* out{};
  std::int64_t count{};
};
using FinishFunction = void (*)(const FinishArgs&);

struct FloatKernels {
  std::int64_t width{};       // columns of a vector
  std::int64_t depth_step{};  // step of A panels: tiles take multiples of this depth, filled up with zeros
  bool pairs{};
  std::int64_t (*most_rows)(std::int64_t vectors){};  // of a tile of this width; 0: there is no such tile
  FloatTileKernel (*tile)(std::int64_t rows, std::int64_t vectors){};
  PackFunction (*pack)(Source){};
  RowFunction (*row)(Source){};
  WidenFunction (*widen)(Source){};
  StreamFunction (*stream)(Source, const StreamShape&){};  // null if there is none of that shape
  FinishFunction (*finish)(Sink){};
  void (*enter)(){};  // called before a thread's tiles; leave() is called after them
  void (*leave)(){};
};

const FloatKernels& float_kernels_portable();
const FloatKernels& float_kernels_avx2();
const FloatKernels& float_kernels_avx512();
const FloatKernels& float_kernels_avx512bf16();
const FloatKernels& float_kernels_amxbf16();
const FloatKernels& float_kernels_neon();
const FloatKernels& float_kernels_neonbf16();

}  // namespace gemmtune::cpu_tile
