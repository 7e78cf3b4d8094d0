// The arguments of the kernel in wgmma_gemm.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

struct WgmmaArguments {
  const float* a_scale{};
  const float* w_scale{};
  const unsigned char* bias{};  // of C's type
  unsigned char* c{};
  unsigned char* partials{};  // of 4 bytes each: float or int, as the sums are
  std::int32_t m{};
  std::int32_t n{};
  std::int32_t steps{};  // of 128 along K
  std::int32_t batch{};
  std::int32_t m_tiles{};  // counted in clusters
  std::int32_t n_tiles{};
  std::int32_t splits{};  // parts along K of each tile that is divided
  std::int32_t group{};   // tiles along M, or N, that stand together in the order of tiles
  std::int32_t group_along_n{};
  std::int32_t whole{};  // tiles that are not divided along K: the first ones, counted in clusters
};

inline constexpr unsigned wgmma_threads = 384;
inline constexpr int wgmma_piece_rows = 16;    // of C, 128 bytes wide, that a warp stores at once
inline constexpr int most_split_tiles = 8192;  // whose parts along K are counted
inline constexpr int wgmma_scale_steps = 12;   // whose scales of blocks of 128 are in a block's memory
inline constexpr int wgmma_most_w_blocks = 4;  // of 128 columns, that a tile touches

}  // namespace gemmtune
