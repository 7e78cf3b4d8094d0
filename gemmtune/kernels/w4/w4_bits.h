// How weights of 4 bits are packed for a16w4_wgmma, and how they become bf16, as operations on bits. Shared by the host
// and the run-time compiler.
//
// Packed weights are bricks of 64 rows × 128 of K, [batch][N/64, rounded up][K/128, rounded up]. A brick has 4096 bytes
// of codes, in the order in which the 128 threads of a warpgroup hold wgmma's first operand, and then a byte for each
// block's scale. Rows past N and columns past K are zeros.
//
// An E2M1 code and a bf16 number have the same form: sign, exponent, fraction. Put at the right place among the 16
// bits, a code is the bf16 number 2^-126 times its value, also if it is subnormal. One exact product with a power of
// two, or with an E4M3 scale, makes it the weight.
#pragma once

#include <cstdint>

namespace gemmtune {

constexpr std::int32_t w4_brick_rows = 64;
constexpr std::int32_t w4_brick_k = 128;
constexpr std::int32_t w4_codes_bytes = w4_brick_rows * w4_brick_k / 2;

/// How many weights along K share a scale: 32 in MXFP4, 16 in NVFP4.
constexpr std::int32_t w4_brick_bytes(std::int32_t scale_k) {
  return w4_codes_bytes + w4_brick_rows * (w4_brick_k / scale_k);
}

/// A weight's place in its brick.
struct W4Place {
  std::int32_t row{};
  std::int32_t k{};
};

/// The place of code i of 8 of the word that `thread` of 128 holds for step `step` of 8, each of 16 along K. Codes 2j
/// and 2j + 1 are register j of wgmma's first operand, as the PTX ISA has it for m64nNk16.
constexpr W4Place w4_place(std::int32_t thread, std::int32_t step, std::int32_t i) {
  return {thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, step * 16 + thread % 4 * 2 + i % 2 + i / 4 * 8};
}

/// Where that word is in the brick. A thread reads four steps at once, and the threads of a warp read in sequence.
constexpr std::int32_t w4_word_at(std::int32_t thread, std::int32_t step) {
  return step / 4 * 2048 + thread * 16 + step % 4 * 4;
}

/// Where the scale of block `block` of a row is in the brick. Eight bytes have the scales that a thread needs at once:
/// of two rows that are 8 apart, over 128 of K with blocks of 32, and over 64 of K with blocks of 16.
constexpr std::int32_t w4_scale_at(std::int32_t row, std::int32_t block) {
  return w4_codes_bytes + block / 4 * 256 + (row / 16 * 16 + row % 8 * 2 + row % 16 / 8) * 4 + block % 4;
}

/// The bits of code i of a word. Those of even codes are in the lower 16 bits, at these places:
///   15   14   13    12   11 10   9    8-6         5-3         2-0
///   s0   s6   e6    s2   f6      s4   code 0      code 2      code 4
/// s: sign; code n: the rest of the code; e6 and f6: the highest of the three bits that rest of code 6, and the others.
/// Those of the next code are in the upper 16 bits.
constexpr std::uint32_t w4_bits(std::uint32_t code, std::int32_t i) {
  const std::uint32_t sign = code >> 3;
  const std::uint32_t rest = code & 7U;
  std::uint32_t bits = 0;
  if (i / 2 == 0) bits = sign << 15 | rest << 6;
  if (i / 2 == 1) bits = sign << 12 | rest << 3;
  if (i / 2 == 2) bits = sign << 9 | rest;
  if (i / 2 == 3) bits = sign << 14 | rest >> 2 << 13 | (rest & 3U) << 10;
  return bits << (i % 2 * 16);
}

/// Eight codes; code(row, k) says which stand in the brick.
template <typename Code>
constexpr std::uint32_t w4_pack(std::int32_t thread, std::int32_t step, Code code) {
  std::uint32_t word = 0;
  for (std::int32_t i = 0; i < 8; ++i) {
    const auto [row, k] = w4_place(thread, step, i);
    word |= w4_bits(code(row, k), i);
  }
  return word;
}

/// Codes 2j and 2j + 1 of a word, as two bf16 numbers of 2^-126 times their values.
constexpr std::uint32_t w4_pair(std::uint32_t word, std::int32_t j) {
  constexpr std::uint32_t places = 0x81c081c0U;
  if (j == 0) return word & places;
  if (j == 1) return (word << 3) & places;
  if (j == 2) return (word << 6) & places;
  return ((word << 1) & 0x80008000U) | ((word >> 5) & 0x01000100U) | ((word >> 4) & 0x00c000c0U);
}

// MXFP4: a byte of a brick is the exponent of the bf16 factor that makes a code the weight. A row's factors are
// relative to a power of two, its base, which is 1 unless the row has weights of 2^2 · 6 and more.

/// The base's exponent of a row whose largest E8M0 byte is `highest`.
constexpr std::int32_t mx_base_exponent(std::int32_t highest) { return highest > 128 ? highest - 128 : 0; }

/// The lowest E8M0 byte that such a row may have: below it, weights over the base are not exact in bf16.
constexpr std::int32_t mx_lowest(std::int32_t highest) {
  const std::int32_t lowest = mx_base_exponent(highest) - 5;
  return lowest > 0 ? lowest : 0;
}

/// The binades over which the blocks of a row with a base may spread.
constexpr std::int32_t mx_most_binades = 133;

constexpr std::uint32_t mx_scale_byte(std::int32_t e8m0, std::int32_t highest) {
  return static_cast<std::uint32_t>(e8m0 + 126 - mx_base_exponent(highest));
}

/// Two equal bf16 factors from a byte in the lowest bits of each half.
constexpr std::uint32_t mx_factors(std::uint32_t bytes) { return bytes << 7; }

// NVFP4: a byte of a brick is a magnitude of E4M3 that has been given the exponents which it needs to be normal.
// Factors are 2^117 times the scales, so that the row's base is 2^9 times the scale of the matrix.

constexpr float nv_base = 512;

/// `magnitude` is an E4M3 byte without its sign. 0 has no such byte: zeros stand in the codes.
constexpr std::uint32_t nv_scale_byte(std::uint32_t magnitude) {
  if (magnitude >= 8) return magnitude + 24;  // the exponent of E4M3 has the bias 7, this one 10
  std::uint32_t exponent = 4;
  std::uint32_t fraction = magnitude;
  while (fraction < 8 && exponent > 1) {
    fraction *= 2;
    --exponent;
  }
  return exponent * 8 + fraction % 8;
}

constexpr std::uint32_t nv_factors(std::uint32_t bytes) { return (bytes << 4) + 0x75007500U; }

}  // namespace gemmtune
