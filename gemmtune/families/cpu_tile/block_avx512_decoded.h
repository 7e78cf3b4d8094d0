// AVX-512: tiles of weights that were decoded to memory (DecodedKernels). Only for block_<form>_avx512….cpp. Beside
// what block_templates.h asks of a Dot, it has
//   Sum                                             a vector of sums of one group of a block
//   words                                           of 32 bits in a row's block, each of which is broadcast
//   start(const BlockAt&, int group, int row)       the Sum of no products
//   multiply(Sum, __m512i w, __m512i a)             adds the products of one word
//   decode<Weights>(const std::byte* values, std::byte* out)      writes `words` vectors
//   column_scales<Weights, Scaling>(const std::byte* scales, int group)
//   scaled<Scaling>(Float sum, Sum, Float columns, const BlockAt&, int row)
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

#include "gemmtune/families/cpu_tile/block_avx512.h"

namespace gemmtune::cpu_tile {
namespace {

/// Sums and products of 6 × 2 vectors leave 8 of 32 registers for operands.
constexpr int decoded_height = 6;
constexpr int decoded_panels = 2;

template <typename Dot>
constexpr std::int64_t decoded_bytes(BlockWeights weights) {
  return 64 * (Dot::words + groups_of(weights));
}

template <typename Dot, BlockWeights W, BlockScaling S>
void decode_blocks(const BlockDecodeJob& job) {
  for (std::int64_t b = 0; b < job.blocks; ++b) {
    const std::byte* step = job.w + b / blocks_of_step * step_bytes(W);
    const std::int64_t inside = b % blocks_of_step;
    const std::byte* scales = step + blocks_of_step * value_bytes(W) + inside * scale_bytes(W);
    std::byte* out = job.out + b * job.out_bytes;
    prefetch(scales);
    for (std::int64_t line = 0; line < value_bytes(W); line += 64) prefetch(step + inside * value_bytes(W) + line);
    Dot::template decode<W>(step + inside * value_bytes(W), out);
    for (int group = 0; group < groups_of(W); ++group) {
      _mm512_storeu_ps(out + 64 * (Dot::words + group), Dot::template column_scales<W, S>(scales, group));
    }
  }
}

/// Adds the products of one group of a block. `at.values` are the decoded block of the first panel.
template <typename Dot, BlockWeights W, BlockScaling S, int Rows>
void add_decoded(const BlockAt& at, int group, __m512 (&sums)[Rows][decoded_panels]) {
  constexpr std::int64_t bytes = decoded_bytes<Dot>(W);
  constexpr int words = Dot::words / groups_of(W);
  typename Dot::Sum dots[Rows][decoded_panels];
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
    GT_UNROLL_ALL for (int p = 0; p < decoded_panels; ++p) dots[r][p] = Dot::start(at, group, r);
  }
  GT_UNROLL_ALL for (int i = 0; i < words; ++i) {
    const int word = group * words + i;
    __m512i w[decoded_panels];
    GT_UNROLL_ALL for (int p = 0; p < decoded_panels; ++p) w[p] = bytes_at(at.values + p * bytes + 64 * word);
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      const __m512i a = broadcast_at(at.a + 4 * (r * Dot::words + word));
      GT_UNROLL_ALL for (int p = 0; p < decoded_panels; ++p) dots[r][p] = Dot::multiply(dots[r][p], w[p], a);
    }
  }
  GT_UNROLL_ALL for (int p = 0; p < decoded_panels; ++p) {
    const __m512 columns = _mm512_loadu_ps(at.values + p * bytes + 64 * (Dot::words + group));
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      sums[r][p] = Dot::template scaled<S>(sums[r][p], dots[r][p], columns, at, r);
    }
  }
}

template <typename Dot, BlockWeights W, BlockScaling S, int Rows>
void decoded_tile(const BlockTileJob& job) {
  constexpr std::int64_t extra = Dot::form == BlockRows::int8 ? 4 + 4 * groups_of(W) : 0;
  const std::int64_t a_bytes = job.height * (row_bytes_of(Dot::form) + extra);
  __m512 sums[Rows][decoded_panels];
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
    GT_UNROLL_ALL for (int p = 0; p < decoded_panels; ++p) {
      const float* c = job.c + p * job.next_c + r * block_columns;
      sums[r][p] = job.accumulate != 0 ? _mm512_loadu_ps(c) : _mm512_setzero_ps();
    }
  }
  for (std::int64_t b = 0; b < job.blocks; ++b) {
    const std::byte* values = job.w + b * decoded_panels * decoded_bytes<Dot>(W);
    const BlockAt at{.a = job.a + b * a_bytes, .height = job.height, .values = values};
    for (int group = 0; group < groups_of(W); ++group) add_decoded<Dot, W, S>(at, group, sums);
  }
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
    GT_UNROLL_ALL for (int p = 0; p < decoded_panels; ++p) {
      _mm512_storeu_ps(job.c + p * job.next_c + r * block_columns, sums[r][p]);
    }
  }
}

/// What there is for one kind of weights and one scaling.
struct DecodedFunctions {
  BlockDecodeFunction decode{};
  BlockTileFunction tile{};  // null if none has so many rows
};

template <typename Dot, BlockWeights W, BlockScaling S>
DecodedFunctions decoded_functions_of(std::int64_t rows) {
  constexpr BlockTileFunction tiles[] = {nullptr,
                                         &decoded_tile<Dot, W, S, 1>,
                                         &decoded_tile<Dot, W, S, 2>,
                                         &decoded_tile<Dot, W, S, 3>,
                                         &decoded_tile<Dot, W, S, 4>,
                                         nullptr,
                                         &decoded_tile<Dot, W, S, decoded_height>};
  return {.decode = &decode_blocks<Dot, W, S>, .tile = rows > 0 && rows <= decoded_height ? tiles[rows] : nullptr};
}

template <typename Dot>
DecodedFunctions find_decoded(const BlockTileKey& key) {
  constexpr auto multiply = BlockScaling::multiply;
  switch (key.weights) {
    case BlockWeights::mxfp4:
      if constexpr (Dot::form == BlockRows::int8) {
        constexpr auto add = BlockScaling::add_exponents;
        if (key.scaling == add) return decoded_functions_of<Dot, BlockWeights::mxfp4, add>(key.rows);
      }
      return decoded_functions_of<Dot, BlockWeights::mxfp4, multiply>(key.rows);
    case BlockWeights::nvfp4:
      return decoded_functions_of<Dot, BlockWeights::nvfp4, multiply>(key.rows);
    case BlockWeights::q4_0:
      return decoded_functions_of<Dot, BlockWeights::q4_0, multiply>(key.rows);
    case BlockWeights::q8_0:
      if constexpr (Dot::form == BlockRows::int8) {
        return decoded_functions_of<Dot, BlockWeights::q8_0, multiply>(key.rows);
      }
      return {};
  }
  return {};
}

template <typename Dot>
BlockDecodeFunction find_decode(const BlockTileKey& key) {
  return find_decoded<Dot>(key).decode;
}

template <typename Dot>
BlockTileFunction find_decoded_tile(const BlockTileKey& key) {
  return find_decoded<Dot>(key).tile;
}

template <typename Dot>
constexpr DecodedKernels decoded_kernels() {
  return {.height = decoded_height,
          .panels = decoded_panels,
          .block_bytes = &decoded_bytes<Dot>,
          .decode = &find_decode<Dot>,
          .tile = &find_decoded_tile<Dot>};
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
