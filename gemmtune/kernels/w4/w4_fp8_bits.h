// How MXFP4 weights are packed for products with A in E4M3, and how they become E4M3, as operations on bits. Shared by
// the host and the run-time compiler. Bricks are those of w4_bits.h. Their codes are in another order, because wgmma
// takes 32 of K at a time here, and the bytes that follow the codes mean something else.
//
// A row's 128 of K in a brick share a factor, a power of two. Relative to it, the magnitudes of each block of 32 are a
// table of eight E4M3 bytes (kernels/small_m/bits.h), which depends on one number, the block's shift. The sums of 128
// of K are multiplied by the factor when they are added to those before, so only the blocks of one brick have to lie in
// E4M3's range together.
#pragma once

#include <cstdint>

#include "gemmtune/kernels/small_m/bits.h"
#include "gemmtune/kernels/w4/w4_bits.h"

namespace gemmtune {

/// The place of code i of 8 of word `word` of 8 that `thread` of 128 holds. Words 2s and 2s + 1 are for 32 of K, from
/// 32s on. Of wgmma's first operand for these, as the PTX ISA has it for m64nNk32, word 2s has registers 0 and 2, and
/// word 2s + 1 has registers 1 and 3.
constexpr W4Place w4_fp8_place(std::int32_t thread, std::int32_t word, std::int32_t i) {
  return {thread / 32 * 16 + thread % 32 / 4 + word % 2 * 8, word / 2 * 32 + place_in_block(true, thread % 4, i)};
}

/// Eight codes; code(row, k) says which stand in the brick.
template <typename Code>
constexpr std::uint32_t w4_fp8_pack(std::int32_t thread, std::int32_t word, Code code) {
  std::uint32_t plain = 0;
  for (std::int32_t i = 0; i < 8; ++i) {
    const auto [row, k] = w4_fp8_place(thread, word, i);
    plain |= code(row, k) << (4 * i);
  }
  return pack_to_look_up(plain);
}

/// What follows the codes: eight bytes for each two rows that are 8 apart, which one thread reads. Four bytes have the
/// shifts of their blocks, the lower nibbles those of the first row. Two more for each row are its factor, in bf16.
constexpr std::int32_t w4_fp8_shift_at(std::int32_t row, std::int32_t block) {
  return w4_codes_bytes + (row / 16 * 8 + row % 8) * 8 + block;
}
constexpr std::int32_t w4_fp8_factor_at(std::int32_t row) { return w4_fp8_shift_at(row, 4) + row % 16 / 8 * 2; }

/// The shifts of the first and of the second of two rows: a byte for each block.
constexpr std::uint32_t w4_fp8_first_shifts(std::uint32_t shifts) { return shifts & 0x0f0f0f0fU; }
constexpr std::uint32_t w4_fp8_second_shifts(std::uint32_t shifts) { return shifts >> 4 & 0x0f0f0f0fU; }

/// The bits of the first and of the second factor as floats.
constexpr std::uint32_t w4_fp8_first_factor(std::uint32_t factors) { return factors << 16; }
constexpr std::uint32_t w4_fp8_second_factor(std::uint32_t factors) { return factors & 0xffff0000U; }

/// The binades over which the blocks of a row may spread within a brick.
constexpr std::int32_t fp8_most_binades = 11;

/// The shift of a block whose E8M0 byte is `e8m0`, of a brick whose largest one is `highest`. That one's values reach
/// 6 · 2^6 = 384 of E4M3's 448, and shift 0 is the last for which 0.5 is a normal number.
constexpr std::int32_t fp8_shift(std::int32_t e8m0, std::int32_t highest) {
  return fp8_most_binades - (highest - e8m0);
}

/// The exponent of what a row's sums are multiplied by at the end; `highest` is its largest E8M0 byte.
constexpr std::int32_t fp8_base_exponent(std::int32_t highest) { return highest > 7 ? highest - 133 : -126; }

/// The lowest E8M0 byte that the largest block of a row's brick may have: factors are normal numbers.
constexpr std::int32_t fp8_lowest(std::int32_t highest) {
  const std::int32_t lowest = fp8_base_exponent(highest) + 7;
  return lowest > 0 ? lowest : 0;
}

/// The binades over which the largest blocks of a row's bricks may spread.
constexpr std::int32_t fp8_most_factor_binades = 126;

/// The factor of a row's brick as bf16. `highest` is the brick's largest E8M0 byte, `of_row` that of the whole row.
constexpr std::uint32_t fp8_factor(std::int32_t highest, std::int32_t of_row) {
  return static_cast<std::uint32_t>(highest - 133 - fp8_base_exponent(of_row) + 127) << 7;
}

}  // namespace gemmtune
