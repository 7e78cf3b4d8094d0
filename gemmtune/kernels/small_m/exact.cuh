// Single elements of C, computed in double from the codes, for sums that overflow or underflow float on the way and for
// rows of A that cannot be folded. This is slow and rarely needed. It makes every element right that the small-M
// kernels write.
#pragma once

#include "gemmtune/kernels/small_m/bits.h"
#include "gemmtune/kernels/small_m/tile.cuh"

/// One row of W: where its codes and scales are.
struct PackedRow {
  const u8* bricks;  // of the 64 rows that contain it
  int row;           // among those rows
  float base;
};

/// Twice the magnitude of an E2M1 code.
__device__ inline int twice_magnitude(u32 code) { return __byte_perm(0x03020100u, 0x0c080604u, code & 7u) & 0xffu; }

__device__ inline int twice_value(u32 code) {
  const int magnitude = twice_magnitude(code);
  return (code & 8u) != 0 ? -magnitude : magnitude;
}

/// Code i of a packed word, as E2M1.
__device__ inline u32 unpacked_code(u32 word, int i) {
  return row_base ? gemmtune::packed_to_look_up(word, i) : gemmtune::packed_to_move(word, i);
}

/// 2^exponent, for exponents of normal doubles.
__device__ inline double double_power(int exponent) { return __longlong_as_double((long long)(exponent + 1023) << 52); }

/// The sum over one block of 32 along K of the products of codes, times 4.
__device__ inline int block_products(const u32* a, const u8* brick, int row, int step) {
  int sum = 0;
#pragma unroll 1
  for (int part = 0; part < 4; ++part) {
    const int lane = row % 8 * 4 + part;
    const int at = step / 2 * 2048 + (row / 16 * 32 + lane) * 16 + (step % 2 * 2 + row % 16 / 8) * 4;
    const u32 word = *(const u32*)(brick + at);
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      const int k = gemmtune::place_in_block(row_base, part, i);
      sum += twice_value(a[k / 8] >> (4 * (k % 8)) & 15u) * twice_value(unpacked_code(word, i));
    }
  }
  return sum;
}

/// One element of C. `a` and `a_scale` are a row's codes and scales, of `blocks` blocks.
__device__ inline float exact_element(const u8* a, const u8* a_scale, int blocks, const PackedRow& w) {
  constexpr int highest = row_base ? gemmtune::small_m_row_binades : gemmtune::small_m_block_binades + 1;
  double total = 0;
#pragma unroll 1
  for (int block = 0; block < blocks; ++block) {
    const int exponent = a_scale[block];
    if (exponent == 255) return __uint_as_float(0x7fc00000u);
    const u8* brick = w.bricks + (i64)(block / 4) * brick_bytes;
    const int place = w.row / 16 * 16 + w.row % 8 * 2 + w.row % 16 / 8;
    const int shift = brick[4096 + place * 4 + block % 4];
    const int sum = block_products((const u32*)a + 4 * block, brick, w.row, block % 4);
    total += sum * double_power(exponent - 127 + shift - highest - 2);
  }
  return (float)(total * w.base);
}
