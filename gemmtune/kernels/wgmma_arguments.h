// The arguments of the kernel in wgmma_gemm.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

/// For wgmma_quotient() by `divisor` > 0.
constexpr std::uint32_t wgmma_reciprocal(std::int32_t divisor) {
  return divisor == 1 ? 0xffffffffU : static_cast<std::uint32_t>((std::uint64_t{1} << 32) / divisor);
}

/// number / divisor, without the tens of instructions of a division. `number` >= 0.
constexpr std::int32_t wgmma_quotient(std::int32_t number, std::int32_t divisor, std::uint32_t reciprocal) {
  const auto low = static_cast<std::int32_t>(static_cast<std::uint64_t>(number) * reciprocal >> 32);  // or one less
  return number - low * divisor >= divisor ? low + 1 : low;
}

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
  // Reciprocals of the numbers of tiles of a group, and of a group's tiles along the side that is grouped: of all
  // groups but the last one, and of that.
  std::uint32_t per_group{};
  std::uint32_t per_row{};
  std::uint32_t per_last_row{};
};

inline constexpr unsigned wgmma_threads = 384;
inline constexpr int wgmma_piece_rows = 16;    // of C, 128 bytes wide, that a warp stores at once
inline constexpr int most_split_tiles = 8192;  // whose parts along K are counted
inline constexpr int wgmma_scale_steps = 12;   // whose scales of blocks of 128 are in a block's memory
inline constexpr int wgmma_most_w_blocks = 4;  // of 128 columns, that a tile touches

}  // namespace gemmtune
