// Checks that a launch left memory intact: inputs, guards around outputs, and gaps in tensors' layouts. Also copies
// tensors into and out of layouts with gaps.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/draw_rules.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/negation.h"

using namespace gemmtune;

/// Adds a hash of each 8-byte word to `sum`. The hash is a bijection of the word that depends on the word's position,
/// so a single changed word changes the sum. `count` is in bytes.
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

/// Counts in `broken` the threads that found a guard to differ from `intact`. One thread block for each guard. Compares
/// byte by byte, because the guard behind a buffer begins where the buffer ends, which may be at any address.
extern "C" __global__ void count_broken_guards(const unsigned char* const* guards, const unsigned char* intact,
                                               int bytes, unsigned* broken) {
  const unsigned char* guard = guards[blockIdx.x];
  int changed = 0;
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) changed |= guard[i] ^ intact[i];
  if (changed != 0) atomicAdd(broken, 1U);
}

/// The indices of one unit in the plain form, which has no gaps, and in the stored form.
struct Places {
  std::int64_t plain;
  std::int64_t stored;
};

/// `i` counts units over [batch, rows, cols].
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

/// Copies the plain form to the stored form. The gaps keep what they hold.
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

/// Adds to `written` how many 16-bit words in the gaps are not `pattern`. For outputs whose units have 2 or 4 bytes.
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
