// The float kernels, written once over a vector type `V` (vec_<isa>.h), and the table that lists them.
//
// Only for float_<isa>.cpp. Everything is in an unnamed namespace: each of these files is compiled for another CPU, and
// if two of them shared a function, the linker might use the wrong one.
#pragma once

#include <cstring>
#include <utility>

#include "gemmtune/families/cpu_tile/float_kernels.h"

#if defined(__clang__)
#define GT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GT_UNROLL _Pragma("GCC unroll 32")
#endif

namespace gemmtune::cpu_tile {
namespace {

template <Source S>
constexpr std::int64_t source_bytes = S == Source::f32 || S == Source::bf16_pair ? 4
                                      : S == Source::bf16 || S == Source::f16    ? 2
                                                                                 : 1;

template <typename T>
constexpr T least(T a, T b) {
  return a < b ? a : b;
}

template <Source S>
const std::byte* element(const Rows& rows, std::int64_t row, std::int64_t k) {
  return rows.values + row * rows.row_bytes + k * source_bytes<S>;
}

inline const float* scale_row(const Rows& rows, std::int64_t row) {
  return rows.scales + row / rows.row_block * rows.scale_cols;
}

/// A vector of elements from k on. Elements beyond the row's end are zeros and are never read.
template <typename V, Source S>
typename V::Type load_upto_end(const Rows& rows, std::int64_t row, std::int64_t k) {
  const std::int64_t left = rows.row_bytes - k * source_bytes<S>;
  constexpr std::int64_t full = V::width * source_bytes<S>;
  if (left >= full) return V::template load_source<S>(element<S>(rows, row, k));
  alignas(64) std::byte padded[64] = {};
  if (left > 0) std::memcpy(padded, element<S>(rows, row, k), static_cast<std::size_t>(left));
  return V::template load_source<S>(padded);
}

/// Pairs are copied unchanged, because a multiplication would change their bits.
template <typename V, Source S>
typename V::Type scaled(typename V::Type value, float scale) {
  if constexpr (S == Source::bf16_pair) {
    return value;
  } else {
    return V::mul(value, V::set1(scale));
  }
}

/// As many rows as a vector has lanes, over elements with the same scales.
template <typename V>
struct Strip {
  std::int64_t row{};
  std::int64_t there{};   // rows that exist
  std::int64_t column{};  // column in the panel
  float scales[V::width]{};
};

template <typename V>
Strip<V> strip_at(const Rows& rows, const PackArgs& args, std::int64_t column, std::int64_t k) {
  Strip<V> strip{.row = args.first_row + column, .there = args.count - column, .column = column};
  for (std::int64_t i = 0; i < least<std::int64_t>(V::width, strip.there); ++i) {
    strip.scales[i] = scale_row(rows, strip.row + i)[k / rows.k_block];
  }
  return strip;
}

/// Writes block[i] to element k + i of the panel. In a narrow panel stores overlap: each store overwrites the excess of
/// the one before. The last store must not exceed the panel.
template <typename V>
void store_block(const typename V::Type (&block)[V::width], const PackArgs& args, std::int64_t k, std::int64_t column) {
  const std::int64_t steps = least<std::int64_t>(V::width, args.k_end - k);
  const std::int64_t end = (args.k_end - args.k_begin) * args.stride;
  std::int64_t at = (k - args.k_begin) * args.stride + column;
  for (std::int64_t i = 0; i < steps; ++i, at += args.stride) {
    if (at + V::width <= end) {
      V::store(args.out + at, block[i]);
    } else {
      float last[V::width];
      V::store(last, block[i]);
      for (std::int64_t j = 0; at + j < end; ++j) args.out[at + j] = last[j];
    }
  }
}

template <typename V, Source S>
void pack_block(const Rows& rows, const PackArgs& args, const Strip<V>& strip, std::int64_t k) {
  typename V::Type block[V::width];
  const bool whole = strip.there >= V::width && rows.row_bytes - k * source_bytes<S> >= V::width * source_bytes<S>;
  if (whole) {
    const std::byte* from = element<S>(rows, strip.row, k);
    GT_UNROLL for (int i = 0; i < V::width; ++i) {
      block[i] = scaled<V, S>(V::template load_source<S>(from + i * rows.row_bytes), strip.scales[i]);
    }
  } else {
    for (int i = 0; i < V::width; ++i) {
      block[i] =
          i < strip.there ? scaled<V, S>(load_upto_end<V, S>(rows, strip.row + i, k), strip.scales[i]) : V::zero();
    }
  }
  V::transpose(block);
  store_block<V>(block, args, k, strip.column);
}

template <typename V>
void pack_zeros(const PackArgs& args, std::int64_t k, std::int64_t column) {
  typename V::Type block[V::width];
  for (auto& row : block) row = V::zero();
  for (; k < args.k_end; k += V::width) store_block<V>(block, args, k, column);
}

template <typename V, Source S>
void pack_panel(const Rows& rows, const PackArgs& args) {
  const std::int64_t there = least(args.k_end, rows.depth);
  for (std::int64_t column = 0; column < args.stride; column += V::width) {
    std::int64_t k = args.k_begin;
    while (k < there) {
      const Strip<V> strip = strip_at<V>(rows, args, column, k);
      const std::int64_t end = least(there, (k / rows.k_block + 1) * rows.k_block);
      for (; k < end; k += V::width) pack_block<V, S>(rows, args, strip, k);
    }
    pack_zeros<V>(args, k, column);
  }
}

template <typename V, Source S>
void decode_row(const Rows& rows, const RowArgs& args) {
  float* to = args.out;
  std::int64_t k = 0;
  while (k < rows.depth) {
    const float scale = scale_row(rows, args.row)[k / rows.k_block];
    const std::int64_t end = least(rows.depth, k + rows.k_block);
    for (; k < end; k += V::width, to += args.step) {
      V::store(to, scaled<V, S>(load_upto_end<V, S>(rows, args.row, k), scale));
    }
  }
  for (; k < args.padded_depth; k += V::width, to += args.step) V::store(to, V::zero());
}

/// Decodes elements [k, k_end) of a packed panel, in which each column has one scale.
template <typename V, Source S>
void widen_run(const WidenArgs& args, const float* scales, std::int64_t k, std::int64_t k_end) {
  for (; k < k_end; ++k) {
    const std::byte* from = args.panel + k * args.columns * source_bytes<S>;
    float* to = args.out + (k - args.k_begin) * args.columns;
    for (std::int64_t j = 0; j < args.columns; j += V::width) {
      V::store(to + j, V::mul(V::template load_source<S>(from + j * source_bytes<S>), V::load(scales + j)));
    }
  }
}

template <typename V, Source S>
void widen_panel(const Rows& rows, const WidenArgs& args) {
  alignas(64) float scales[4 * V::width] = {};
  for (std::int64_t k = args.k_begin; k < args.k_end;) {
    const std::int64_t block = k / rows.k_block;
    const std::int64_t end = least(args.k_end, (block + 1) * rows.k_block);
    for (std::int64_t j = 0; j < args.row_count; ++j) scales[j] = scale_row(rows, args.first_row + j)[block];
    widen_run<V, S>(args, scales, k, end);
    k = end;
  }
}

/// A step inside the loops: inlined always, because the sums of a call would be in memory. g++ counts Arm's pairs of
/// registers as twice the code.
#define GT_STEP [[gnu::always_inline]] inline

template <typename V, int R, int NV>
GT_STEP void tile_step(typename V::Type (&sums)[R][NV], const float* a, const float* w) {
  typename V::Type columns[NV];
  GT_UNROLL for (int v = 0; v < NV; ++v) columns[v] = V::load(w + v * V::width);
  GT_UNROLL for (int r = 0; r < R; ++r) {
    const auto value = V::broadcast(a + r);
    GT_UNROLL for (int v = 0; v < NV; ++v) sums[r][v] = V::multiply_add(value, columns[v], sums[r][v]);
  }
}

/// The earlier sums are prefetched while new ones are computed, and added at the end, because by then they have left
/// the nearest caches.
template <typename V, int R, int NV>
void tile(const TileArgs& args) {
  typename V::Type sums[R][NV];
  GT_UNROLL for (int r = 0; r < R; ++r) {
    GT_UNROLL for (int v = 0; v < NV; ++v) {
      __builtin_prefetch(args.c + (r * NV + v) * V::width, 1);
      sums[r][v] = V::zero();
    }
  }
  const float* a = args.a;
  const float* w = args.w;
  std::int64_t k = args.depth;
  for (; k >= 4; k -= 4, a += 4 * R, w += 4 * NV * V::width) {
    tile_step<V, R, NV>(sums, a, w);
    tile_step<V, R, NV>(sums, a + R, w + NV * V::width);
    tile_step<V, R, NV>(sums, a + 2 * R, w + 2 * NV * V::width);
    tile_step<V, R, NV>(sums, a + 3 * R, w + 3 * NV * V::width);
  }
  for (; k > 0; --k, a += R, w += NV * V::width) tile_step<V, R, NV>(sums, a, w);
  GT_UNROLL for (int r = 0; r < R; ++r) {
    GT_UNROLL for (int v = 0; v < NV; ++v) {
      float* c = args.c + (r * NV + v) * V::width;
      V::store(c, args.accumulate != 0 ? V::add(sums[r][v], V::load(c)) : sums[r][v]);
    }
  }
}

/// Rows of the tallest tile of NV vectors: the sums, one row's vectors and a broadcast fill the registers. It is at
/// most a vector's width, because that is what one transposition packs.
template <typename V>
constexpr std::int64_t most_rows(std::int64_t vectors) {
  return vectors < 1 || vectors > 4 ? 0 : least<std::int64_t>(V::width, (V::registers - vectors - 1) / vectors);
}

template <typename V, int NV, int R>
TileFunction find_rows(std::int64_t rows) {
  if constexpr (R == 0) {
    return nullptr;
  } else {
    return rows == R ? &tile<V, R, NV> : find_rows<V, NV, R - 1>(rows);
  }
}

template <typename V>
FloatTileKernel find_tile(std::int64_t rows, std::int64_t vectors) {
  switch (vectors) {
    case 1:
      return {find_rows<V, 1, most_rows<V>(1)>(rows), rows};
    case 2:
      return {find_rows<V, 2, most_rows<V>(2)>(rows), rows};
    case 3:
      return {find_rows<V, 3, most_rows<V>(3)>(rows), rows};
    case 4:
      return {find_rows<V, 4, most_rows<V>(4)>(rows), rows};
    default:
      return {};
  }
}

template <typename V, Sink T>
void finish(const FinishArgs& args) {
  using Out = typename V::template Out<T>;
  std::int64_t i = 0;
  for (; i + V::width <= args.count; i += V::width) {
    auto value = V::load(args.in + i);
    if (args.bias != nullptr) value = V::add(value, Out::load(args.bias + i * Out::bytes));
    Out::store(args.out + i * Out::bytes, value);
  }
  const std::size_t left = static_cast<std::size_t>((args.count - i) * Out::bytes);
  if (left == 0) return;
  alignas(64) std::byte bytes[64] = {};
  auto value = V::load(args.in + i);  // `in` is padded to whole vectors
  if (args.bias != nullptr) {
    std::memcpy(bytes, args.bias + i * Out::bytes, left);
    value = V::add(value, Out::load(bytes));
  }
  Out::store(bytes, value);
  std::memcpy(args.out + i * Out::bytes, bytes, left);
}

template <typename V>
FinishFunction find_finish(Sink sink) {
  switch (sink) {
    case Sink::f32:
      return &finish<V, Sink::f32>;
    case Sink::bf16:
      return &finish<V, Sink::bf16>;
    case Sink::f16:
      return &finish<V, Sink::f16>;
  }
  return nullptr;
}

/// Calls visit.template operator()<S>() with the source as a constant. Null for pairs.
template <typename Function, typename Visit>
Function for_source(Source source, const Visit& visit) {
  switch (source) {
    case Source::f32:
      return visit.template operator()<Source::f32>();
    case Source::bf16:
      return visit.template operator()<Source::bf16>();
    case Source::f16:
      return visit.template operator()<Source::f16>();
    case Source::e4m3:
      return visit.template operator()<Source::e4m3>();
    case Source::e4m3fnuz:
      return visit.template operator()<Source::e4m3fnuz>();
    case Source::i8:
      return visit.template operator()<Source::i8>();
    case Source::bf16_pair:
      break;
  }
  return nullptr;
}

template <typename V>
PackFunction find_pack(Source source) {
  if (source == Source::bf16_pair) return &pack_panel<V, Source::bf16_pair>;
  return for_source<PackFunction>(source, []<Source S>() -> PackFunction { return &pack_panel<V, S>; });
}

template <typename V>
RowFunction find_row(Source source) {
  if (source == Source::bf16_pair) return &decode_row<V, Source::bf16_pair>;
  return for_source<RowFunction>(source, []<Source S>() -> RowFunction { return &decode_row<V, S>; });
}

template <typename V>
WidenFunction find_widen(Source source) {
  return for_source<WidenFunction>(source, []<Source S>() -> WidenFunction { return &widen_panel<V, S>; });
}

}  // namespace
}  // namespace gemmtune::cpu_tile
