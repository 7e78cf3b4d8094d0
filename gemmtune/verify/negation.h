// Changes the sign of stored elements where they stand, word by word: what a launch multiplies is then another matrix
// at the same address. Host compilers and the run-time compilers of GPUs both take this text.
#pragma once

#include <cstdint>

namespace gemmtune {

enum class SignRule : std::int32_t {
  flip_bits,         // the sign is a bit of its own
  flip_but_zero,     // the same, but zero has no sign: the code of a negative zero is a NaN (e4m3fnuz)
  twos_complement8,  // int8; -128, which is never drawn, stays
};

/// How the words of one type are negated. To negate twice gives the first words again, whatever bits they hold.
struct Negation {
  SignRule rule{};
  std::uint32_t sign_bits{};  // of all elements in four bytes

  constexpr std::uint32_t word(std::uint32_t stored) const {
    if (rule == SignRule::flip_bits) return stored ^ sign_bits;
    std::uint32_t negated = 0;
    for (int shift = 0; shift < 32; shift += 8) negated |= byte(stored >> shift & 0xffU) << shift;
    return negated;
  }

 private:
  constexpr std::uint32_t byte(std::uint32_t stored) const {
    if (rule == SignRule::twos_complement8) return (0x100U - stored) & 0xffU;
    return (stored & 0x7fU) == 0 ? stored : stored ^ 0x80U;
  }
};

}  // namespace gemmtune
