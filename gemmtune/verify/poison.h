// What C is filled with before a launch, so that elements that were never written can be told. Host compilers and the
// run-time compilers of GPUs both take this text.
#pragma once

#include <cstdint>

namespace gemmtune {

/// A pattern, in each 16 bits, that is a NaN in every output type, and one that no arithmetic produces.
struct Poison {
  std::uint16_t pattern{0xfff5};

  /// `stored` are the bits of an element of C.
  template <typename Bits>
  constexpr bool is(Bits stored) const {
    return stored == static_cast<Bits>(pattern * 0x10001U);
  }

  bool operator==(const Poison&) const = default;
};

/// One of 124 patterns. A fixed one could be known to a kernel, which then computes only where it finds the pattern.
/// The sign and the lowest six bits are drawn; six zeros or six ones are left out, because the NaNs that processors
/// make end so.
constexpr Poison draw_poison(std::uint64_t random) {
  constexpr unsigned quiet_nan = 0x7fc0;  // of bf16; another one of fp16, and the upper half of one of f32
  const auto payload = static_cast<unsigned>(1 + random % 62);
  const auto sign = static_cast<unsigned>(random >> 63) << 15;
  return {static_cast<std::uint16_t>(sign | quiet_nan | payload)};
}

}  // namespace gemmtune
