// What became of memory: inputs that must be as they were, guards around outputs, and tensors whose layout has gaps.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/draw_rules.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/negation.h"

using namespace gemmtune;

/// Adds up a bijection of each word that depends on where it stands: a single changed word changes the sum.
extern "C" __global__ void fingerprint(const unsigned char* bytes, std::int64_t count, unsigned long long* sum) {
  const Counter places(0, Tensor::a);
  unsigned long long here = 0;
  for (std::int64_t word = blockIdx.x * blockDim.x + threadIdx.x; word * 8 < count; word += gridDim.x * blockDim.x) {
    unsigned long long value = 0;
    if (word * 8 + 8 <= count) {
      value = reinterpret_cast<const unsigned long long*>(bytes)[word];
    } else {
      for (std::int64_t i = word * 8; i < count; ++i) value = value << 8 | bytes[i];
    }
    value = (value ^ places.bits(word)) * 0xbf58476d1ce4e5b9ULL;
    here += (value ^ value >> 29) * 0x94d049bb133111ebULL;
  }
  for (int step = 16; step > 0; step /= 2) here += __shfl_xor_sync(0xffffffffU, here, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, here);
}

/// A block to each of the guards, which must hold what `intact` does. Byte by byte: the guard behind a buffer begins
/// where the buffer ends, which may be anywhere.
extern "C" __global__ void count_broken_guards(const unsigned char* const* guards, const unsigned char* intact,
                                               int bytes, unsigned* broken) {
  const unsigned char* guard = guards[blockIdx.x];
  int changed = 0;
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) changed |= guard[i] ^ intact[i];
  if (changed != 0) atomicAdd(broken, 1U);
}

/// Where unit i of the plain form, which has no gaps, stands in the stored one; and where it stands itself.
struct Places {
  std::int64_t plain;
  std::int64_t stored;
};

__device__ Places places_of(const StridedUnits& m, std::int64_t i) {
  const std::int64_t col = i % m.cols, row = i / m.cols % m.rows, b = i / m.cols / m.rows;
  return {m.transposed ? (b * m.cols + col) * m.rows + row : i, b * m.batch_stride + row * m.leading_dimension + col};
}

__device__ void copy_unit(const unsigned char* from, unsigned char* to, int bytes) {
  if (bytes == 4)
    *reinterpret_cast<unsigned*>(to) = *reinterpret_cast<const unsigned*>(from);
  else if (bytes == 2)
    *reinterpret_cast<unsigned short*>(to) = *reinterpret_cast<const unsigned short*>(from);
  else
    *to = *from;
}

/// From the plain form to the stored one. What stands in the gaps stays.
extern "C" __global__ void store_matrix(StridedUnits m, const unsigned char* plain, unsigned char* stored) {
  const std::int64_t count = m.batch * m.rows * m.cols;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const Places at = places_of(m, i);
    copy_unit(plain + at.plain * m.unit_bytes, stored + at.stored * m.unit_bytes, m.unit_bytes);
  }
}

extern "C" __global__ void gather_matrix(StridedUnits m, const unsigned char* stored, unsigned char* plain) {
  const std::int64_t count = m.batch * m.rows * m.cols;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const Places at = places_of(m, i);
    copy_unit(stored + at.stored * m.unit_bytes, plain + at.plain * m.unit_bytes, m.unit_bytes);
  }
}

/// Of an output whose units have 2 or 4 bytes: how many words of 16 bits of its gaps are not `pattern`.
extern "C" __global__ void count_written_gaps(StridedUnits m, const unsigned short* stored, unsigned short pattern,
                                              unsigned* written) {
  const std::int64_t units = (m.batch - 1) * m.batch_stride + (m.rows - 1) * m.leading_dimension + m.cols;
  const int words = m.unit_bytes / 2;
  unsigned found = 0;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < units;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t within = i % m.batch_stride;
    const bool is_gap = within / m.leading_dimension >= m.rows || within % m.leading_dimension >= m.cols;
    for (int word = 0; is_gap && word < words; ++word) found += stored[i * words + word] != pattern;
  }
  if (found > 0) atomicAdd(written, found);
}

/// Changes the sign of stored elements in place. `stored` is aligned to four bytes.
extern "C" __global__ void negate_elements(Negation negation, unsigned char* stored, std::int64_t bytes) {
  auto* words = reinterpret_cast<unsigned*>(stored);
  const std::int64_t start = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  for (std::int64_t i = start; i < bytes / 4; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    words[i] = negation.word(words[i]);
  if (start > 0) return;
  unsigned rest = 0;
  for (std::int64_t i = bytes / 4 * 4; i < bytes; ++i) rest |= static_cast<unsigned>(stored[i]) << 8 * (i % 4);
  rest = negation.word(rest);
  for (std::int64_t i = bytes / 4 * 4; i < bytes; ++i) stored[i] = rest >> 8 * (i % 4);
}
