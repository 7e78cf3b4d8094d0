// What the host gives to the kernels in w4_multiply.cu and w4_pack.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

struct W4Arguments {
  const unsigned char* bricks{};  // packed weights (w4_bits.h)
  const float* base{};            // what each row's sums are multiplied by, [batch][N, rounded up to 64]
  const float* a_scale{};         // of A in E4M3: [batch][M], or [batch]
  const unsigned char* bias{};    // of C's type
  unsigned char* c{};
  std::int32_t m{};
  std::int32_t n{};
  std::int32_t chunks{};  // of 128 along K
  std::int32_t batch{};
  std::int32_t brick_rows{};    // groups of 64 rows of W
  std::int32_t row_clusters{};  // clusters along N
  std::int32_t token_tiles{};   // tiles along M
  std::int32_t tile_group{};    // tiles along M that are worked on together
};

struct W4PackSizes {
  std::int32_t n{};
  std::int32_t k{};
  std::int32_t brick_rows{};
  std::int32_t chunks{};
};

/// Registers of a thread that copies, once those that multiply have taken the rest.
constexpr std::int32_t w4_few_registers = 40;

/// Sums of a block that other warpgroups send have memory of their own up to so many bytes. More take that of the ring.
constexpr std::int32_t w4_most_extra_bytes = 32 << 10;

/// Memory through which a warpgroup writes C in lines: 32 tokens of 64 elements of 2 bytes.
constexpr std::int32_t w4_lines_tokens = 32;
constexpr std::int32_t w4_lines_bytes = w4_lines_tokens * 128;

}  // namespace gemmtune
