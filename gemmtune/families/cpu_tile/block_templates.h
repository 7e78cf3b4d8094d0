// Tiles of weights in scaled blocks, written once for all instruction sets. Only for block_<form>_<isa>.cpp, each of
// which is compiled for another CPU: everything here has internal linkage.
//
// A Dot supplies the arithmetic:
//   Float, width, zero(), load(const float*), store(float*, Float)     vectors of sums; a panel is 16 / width of them
//   tallest
//   add<Weights, Scaling, Rows>(const BlockAt&, Float (&sums)[Rows])   adds the scaled products of one block
#pragma once

#include "gemmtune/families/cpu_tile/block_kernels.h"

#if defined(__clang__)
#define GT_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define GT_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

namespace gemmtune::cpu_tile {
namespace {

constexpr bool has_nibbles(BlockWeights weights) { return weights != BlockWeights::q8_0; }
constexpr std::int64_t value_bytes(BlockWeights weights) { return has_nibbles(weights) ? 256 : 512; }
constexpr std::int64_t scale_bytes(BlockWeights weights) { return weights == BlockWeights::mxfp4 ? 16 : 32; }
constexpr std::int64_t step_bytes(BlockWeights weights) {
  return blocks_of_step * (value_bytes(weights) + scale_bytes(weights));
}

/// Asks the L2 cache for what is read so many bytes later: the hardware does not look beyond a page. The L1 cache waits
/// for too few lines at once to keep memory busy.
inline void prefetch(const std::byte* from) {
  constexpr std::int64_t ahead = 12288;
  __builtin_prefetch(from + ahead, 0, 2);
}

/// Groups of a block that have scales of their own.
constexpr int groups_of(BlockWeights weights) { return weights == BlockWeights::nvfp4 ? 2 : 1; }

constexpr std::int64_t row_bytes_of(BlockRows form) {
  return form == BlockRows::int8 ? 32 : form == BlockRows::bf16_pairs ? 64 : 128;
}

/// One block of a tile, for the columns of one vector.
struct BlockAt {
  const std::byte* a{};  // [height][32]
  std::int64_t height{};
  const std::byte* values{};  // at the vector's first column
  const std::byte* scales{};  // of all 16 columns
  int column{};               // the vector's first one
};

/// Of int8 rows: their scales, and their corrections for one group.
inline const float* scales_of(const BlockAt& at) { return reinterpret_cast<const float*>(at.a + at.height * 32); }
inline const std::int32_t* corrections_of(const BlockAt& at, int group) {
  return reinterpret_cast<const std::int32_t*>(at.a + at.height * (36 + 4 * group));
}

template <typename Dot, BlockWeights W, BlockScaling S, int Rows>
void block_tile_part(const BlockTileJob& job, int column) {
  typename Dot::Float sums[Rows];
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
    sums[r] = job.accumulate != 0 ? Dot::load(job.c + r * block_columns + column) : Dot::zero();
  }
  constexpr std::int64_t extra = Dot::form == BlockRows::int8 ? 4 + 4 * groups_of(W) : 0;
  const std::int64_t a_bytes = job.height * (row_bytes_of(Dot::form) + extra);
  for (std::int64_t b = 0; b < job.blocks; ++b) {
    const std::byte* step = job.w + b / blocks_of_step * step_bytes(W);
    const std::int64_t inside = b % blocks_of_step;
    const BlockAt at{.a = job.a + b * a_bytes,
                     .height = job.height,
                     .values = step + inside * value_bytes(W) + 4 * column,
                     .scales = step + blocks_of_step * value_bytes(W) + inside * scale_bytes(W),
                     .column = column};
    Dot::template add<W, S, Rows>(at, sums);
  }
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) Dot::store(job.c + r * block_columns + column, sums[r]);
}

/// Asks for what lies behind the blocks that K does not reach, as reading those blocks would: else each panel of a K
/// like 2880 starts with misses, and takes a third longer.
template <BlockWeights W>
void prefetch_for_rest_of_step(const BlockTileJob& job) {
  const std::int64_t inside = job.blocks % blocks_of_step;
  if (inside == 0) return;
  const std::byte* step = job.w + job.blocks / blocks_of_step * step_bytes(W);
  for (std::int64_t at = inside * value_bytes(W); at < step_bytes(W); at += 64) prefetch(step + at);
}

template <typename Dot, BlockWeights W, BlockScaling S, int Rows>
void block_tile(const BlockTileJob& job) {
  for (int column = 0; column < block_columns; column += Dot::width) block_tile_part<Dot, W, S, Rows>(job, column);
  prefetch_for_rest_of_step<W>(job);
}

template <typename Dot, BlockWeights W, BlockScaling S>
BlockTileFunction block_tile_of(std::int64_t rows) {
  switch (rows) {
    case 1:
      return &block_tile<Dot, W, S, 1>;
    case 2:
      return &block_tile<Dot, W, S, 2>;
    case 3:
      return &block_tile<Dot, W, S, 3>;
    case 4:
      return &block_tile<Dot, W, S, 4>;
    default:
      break;
  }
  if constexpr (Dot::tallest > 4) {
    if (rows == 6) return &block_tile<Dot, W, S, 6>;
    if (rows == 8) return &block_tile<Dot, W, S, 8>;
    if (rows == 12) return &block_tile<Dot, W, S, 12>;
  }
  return nullptr;
}

template <typename Dot>
std::int64_t block_height(std::int64_t rows) {
  constexpr std::int64_t heights[] = {1, 2, 3, 4, 6, 8, 12};
  for (const std::int64_t height : heights) {
    if (height >= rows && height <= Dot::tallest) return height;
  }
  return 0;
}

template <typename Dot>
BlockTileFunction find_block_tile(const BlockTileKey& key) {
  constexpr auto multiply = BlockScaling::multiply, add = BlockScaling::add_exponents;
  switch (key.weights) {
    case BlockWeights::mxfp4:
      if constexpr (Dot::form == BlockRows::int8) {
        if (key.scaling == add) return block_tile_of<Dot, BlockWeights::mxfp4, add>(key.rows);
      }
      return block_tile_of<Dot, BlockWeights::mxfp4, multiply>(key.rows);
    case BlockWeights::nvfp4:
      return block_tile_of<Dot, BlockWeights::nvfp4, multiply>(key.rows);
    case BlockWeights::q4_0:
      return block_tile_of<Dot, BlockWeights::q4_0, multiply>(key.rows);
    case BlockWeights::q8_0:
      if constexpr (Dot::form == BlockRows::int8) {
        return block_tile_of<Dot, BlockWeights::q8_0, multiply>(key.rows);
      }
      return nullptr;
  }
  return nullptr;
}

template <typename Dot>
constexpr BlockKernels block_kernels(BlockRowFunction pack_row, const DecodedKernels* decoded = nullptr) {
  return {.form = Dot::form,
          .tallest = Dot::tallest,
          .height = &block_height<Dot>,
          .tile = &find_block_tile<Dot>,
          .pack_row = pack_row,
          .decoded = decoded};
}

}  // namespace
}  // namespace gemmtune::cpu_tile
