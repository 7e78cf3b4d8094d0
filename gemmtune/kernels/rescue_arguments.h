// The arguments of the kernel in rescue.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

/// Addresses and sizes of one product. In flags, ranges and scales, rows and columns count over all batches.
struct RescueArguments {
  const unsigned char* a{};
  const unsigned char* a_e8m0{};
  const unsigned char* a_wide{};     // FoldLayout::wide of the activations
  const unsigned short* a_ranges{};  // FoldLayout::ranges of them
  const unsigned char* w{};          // folded
  const float* w_scales{};
  const unsigned char* w_wide{};
  const unsigned char* bias{};
  unsigned char* c{};
  std::int64_t batch{};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
};

inline constexpr unsigned rescue_threads = 128;
inline constexpr unsigned rescue_shared_bytes = 102416;  // dynamic shared memory of a block

}  // namespace gemmtune
