// How E2M1 codes become e4m3 in the small-M kernels, and how weights are packed for that, as operations on bits. Shared
// by the host and the run-time compiler. A word holds eight codes of E2M1, the first in its lowest four bits. They
// become two words of four e4m3 bytes.
#pragma once

#include <cstdint>

namespace gemmtune {

struct E4M3Words {
  std::uint32_t first{};
  std::uint32_t second{};
};

/// The eight magnitudes of E2M1 as e4m3, a byte each.
struct E4M3Magnitudes {
  std::uint32_t low{};
  std::uint32_t high{};
};

/// The magnitudes times 2^(shift - 5), for shift 0 … 11. All are normal numbers, so one binade adds 8 to every byte
/// except zero's.
constexpr E4M3Magnitudes e4m3_magnitudes(std::uint32_t shift) {
  return {0x14100800U + shift * 0x08080800U, 0x24201c18U + shift * 0x08080808U};
}

/// Codes 0, 2, 4, 6 and codes 1, 3, 5, 7, times 2^-6. The bits only move; 0.5 becomes a subnormal number.
constexpr E4M3Words move_codes(std::uint32_t word) {
  return {((word << 2) & 0x1c1c1c1cU) | ((word << 4) & 0x80808080U),
          ((word >> 2) & 0x1c1c1c1cU) | (word & 0x80808080U)};
}

/// Which of 32 neighbours along K is code i of the word that thread `part` of a quad holds. If `order` is set, they are
/// distributed as wgmma reads them. If not, a word holds eight neighbours.
constexpr int place_in_block(bool order, int part, int i) {
  return order ? 4 * part + i % 4 + i / 4 * 16 : 8 * part + i;
}

/// A word packed so that unpack_moved() has less to do than move_codes(). A byte holds, from its highest bit, code
/// 2i's sign, code 2i+1's highest bit and sign, code 2i's other bits, and the two lowest bits of code 2i+1.
constexpr std::uint32_t pack_to_move(std::uint32_t word) {
  std::uint32_t packed = 0;
  for (std::uint32_t i = 0; i < 32; i += 8) {
    const std::uint32_t even = word >> i & 15U;
    const std::uint32_t odd = word >> (i + 4) & 15U;
    packed |= ((even & 8U) << 4 | (even & 7U) << 2 | (odd & 4U) << 4 | (odd & 8U) << 2 | (odd & 3U)) << i;
  }
  return packed;
}

/// Code i of a word that was packed by pack_to_move().
constexpr std::uint32_t packed_to_move(std::uint32_t packed, std::uint32_t i) {
  const std::uint32_t byte = packed >> (i / 2 * 8);
  if (i % 2 == 0) return (byte >> 2 & 7U) | (byte >> 4 & 8U);
  return (byte & 3U) | (byte >> 4 & 4U) | (byte >> 2 & 8U);
}

constexpr E4M3Words unpack_moved(std::uint32_t packed) {
  return {packed & 0x9c9c9c9cU, ((packed << 2) & 0x8c8c8c8cU) | ((packed >> 2) & 0x10101010U)};
}

/// A word packed for unpack_looked_up(): magnitudes stay, signs of codes 0 … 3 become the highest bits of the bytes,
/// those of codes 4 … 7 are four bits lower.
constexpr std::uint32_t pack_to_look_up(std::uint32_t word) {
  std::uint32_t packed = word & 0x77777777U;
  for (std::uint32_t i = 0; i < 4; ++i) {
    packed |= (word >> (4 * i + 3) & 1U) << (8 * i + 7);
    packed |= (word >> (4 * i + 19) & 1U) << (8 * i + 3);
  }
  return packed;
}

/// Code i of a word that was packed by pack_to_look_up().
constexpr std::uint32_t packed_to_look_up(std::uint32_t packed, std::uint32_t i) {
  const std::uint32_t sign = packed >> (i < 4 ? 8 * i + 7 : 8 * (i - 4) + 3) & 1U;
  return (packed >> (4 * i) & 7U) | sign << 3;
}

/// Looks up codes 0 … 3 and 4 … 7 in a table; pick(low, high, selectors) is the prmt instruction.
template <typename Pick>
constexpr E4M3Words unpack_looked_up(std::uint32_t packed, const E4M3Magnitudes& table, Pick pick) {
  const std::uint32_t selectors = packed & 0x77777777U;
  return {pick(table.low, table.high, selectors) | (packed & 0x80808080U),
          pick(table.low, table.high, selectors >> 16) | ((packed << 4) & 0x80808080U)};
}

}  // namespace gemmtune
