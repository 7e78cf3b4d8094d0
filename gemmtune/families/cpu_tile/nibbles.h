// The order of 4-bit codes in column panels.
#pragma once

#include <cstdint>

namespace gemmtune::cpu_tile {

/// Moves nibbles 0, 1, 2, 3 of 16 bits to the low nibbles of four bytes.
inline std::uint32_t spread_nibbles(std::uint32_t bits) {
  bits = (bits | bits << 8) & 0x00ff00ffU;
  return (bits | bits << 4) & 0x0f0f0f0fU;
}

/// Eight consecutive codes, stored in pairs, as four bytes: codes 0…3 in the low nibbles, 4…7 in the high ones.
inline std::uint32_t panel_nibbles(const std::uint8_t (&pairs)[4]) {
  const std::uint32_t low = pairs[0] | pairs[1] * 256U, high = pairs[2] | pairs[3] * 256U;
  return spread_nibbles(low) | spread_nibbles(high) << 4;
}

}  // namespace gemmtune::cpu_tile
