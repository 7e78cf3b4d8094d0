// Dot products along K for few rows of A, written once over a vector type. Only for float_<isa>.cpp, like
// float_templates.h.
#pragma once

#include "gemmtune/families/cpu_tile/float_templates.h"

namespace gemmtune::cpu_tile {
namespace {

template <typename V, int R, int C>
using Sums = typename V::Type[R][C];

template <typename V, int R, int C>
GT_STEP void stream_step(Sums<V, R, C>& sums, const typename V::Type (&w)[C], const float* a, std::int64_t a_stride) {
  GT_UNROLL for (int r = 0; r < R; ++r) {
    const auto value = V::load(a + r * a_stride);
    GT_UNROLL for (int c = 0; c < C; ++c) sums[r][c] = V::multiply_add(value, w[c], sums[r][c]);
  }
}

/// Sums the unscaled products of elements [k, k_end), which all have the same scale.
template <typename V, Source S, int R, int C, int U>
GT_STEP void stream_block(Sums<V, R, C>& block, const Rows& rows, const StreamArgs& args, std::int64_t k,
                          std::int64_t k_end) {
  Sums<V, R, C> sums[U];
  typename V::Type w[C];
  GT_UNROLL for (int u = 0; u < U; ++u) {
    GT_UNROLL for (int r = 0; r < R; ++r) { GT_UNROLL for (int c = 0; c < C; ++c) sums[u][r][c] = V::zero(); }
  }
  for (; k + U * V::width <= k_end; k += U * V::width) {
    GT_UNROLL for (int u = 0; u < U; ++u) {
      const std::int64_t at = k + u * V::width;
      GT_UNROLL for (int c = 0; c < C; ++c) w[c] = V::template load_source<S>(element<S>(rows, args.row + c, at));
      stream_step<V, R, C>(sums[u], w, args.a + at, args.a_stride);
    }
  }
  for (; k < k_end; k += V::width) {
    GT_UNROLL for (int c = 0; c < C; ++c) w[c] = load_upto_end<V, S>(rows, args.row + c, k);
    stream_step<V, R, C>(sums[0], w, args.a + k, args.a_stride);
  }
  GT_UNROLL for (int r = 0; r < R; ++r) {
    GT_UNROLL for (int c = 0; c < C; ++c) {
      block[r][c] = sums[0][r][c];
      GT_UNROLL for (int u = 1; u < U; ++u) block[r][c] = V::add(block[r][c], sums[u][r][c]);
    }
  }
}

template <typename V, Source S, int R, int C, int U>
void stream(const Rows& rows, const StreamArgs& args) {
  Sums<V, R, C> totals;
  for (auto& row : totals) {
    for (auto& total : row) total = V::zero();
  }
  for (std::int64_t k = 0; k < rows.depth; k += rows.k_block) {
    Sums<V, R, C> block;
    stream_block<V, S, R, C, U>(block, rows, args, k, least(rows.depth, k + rows.k_block));
    for (int c = 0; c < C; ++c) {
      const auto scale = V::set1(scale_row(rows, args.row + c)[k / rows.k_block]);
      for (int r = 0; r < R; ++r) totals[r][c] = V::multiply_add(block[r][c], scale, totals[r][c]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) args.out[r * args.out_stride + c] = V::sum(totals[r][c]);
  }
}

constexpr std::int64_t stream_key(std::int64_t rows, std::int64_t columns, std::int64_t unroll) {
  return rows * 100 + columns * 10 + unroll;
}

/// Shapes with up to eight sums: that many keep two multiply-adds a cycle with a latency of four busy.
template <typename V, Source S>
StreamFunction find_stream_of(const StreamShape& shape) {
  switch (stream_key(shape.rows, shape.columns, shape.unroll)) {
    case stream_key(1, 1, 1):
      return &stream<V, S, 1, 1, 1>;
    case stream_key(1, 1, 4):
      return &stream<V, S, 1, 1, 4>;
    case stream_key(1, 2, 1):
      return &stream<V, S, 1, 2, 1>;
    case stream_key(1, 2, 4):
      return &stream<V, S, 1, 2, 4>;
    case stream_key(1, 4, 1):
      return &stream<V, S, 1, 4, 1>;
    case stream_key(1, 4, 2):
      return &stream<V, S, 1, 4, 2>;
    case stream_key(2, 1, 1):
      return &stream<V, S, 2, 1, 1>;
    case stream_key(2, 1, 4):
      return &stream<V, S, 2, 1, 4>;
    case stream_key(2, 2, 2):
      return &stream<V, S, 2, 2, 2>;
    case stream_key(2, 4, 1):
      return &stream<V, S, 2, 4, 1>;
    case stream_key(4, 1, 1):
      return &stream<V, S, 4, 1, 1>;
    case stream_key(4, 1, 2):
      return &stream<V, S, 4, 1, 2>;
    case stream_key(4, 2, 1):
      return &stream<V, S, 4, 2, 1>;
    case stream_key(8, 1, 1):
      return &stream<V, S, 8, 1, 1>;
    default:
      return nullptr;
  }
}

template <typename V>
StreamFunction find_stream(Source source, const StreamShape& shape) {
  return for_source<StreamFunction>(source, [&]<Source S>() { return find_stream_of<V, S>(shape); });
}

inline void nothing() {}

template <typename V>
constexpr FloatKernels make_kernels() {
  return {.width = V::width,
          .depth_step = 1,
          .most_rows = &most_rows<V>,
          .tile = &find_tile<V>,
          .pack = &find_pack<V>,
          .row = &find_row<V>,
          .widen = &find_widen<V>,
          .stream = &find_stream<V>,
          .finish = &find_finish<V>,
          .enter = &nothing,
          .leave = &nothing};
}

}  // namespace
}  // namespace gemmtune::cpu_tile
