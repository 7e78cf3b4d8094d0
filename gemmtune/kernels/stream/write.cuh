// Writing C from sums that stand transposed: rows of C are wgmma's N.
#pragma once

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/output_element.cuh"

/// C of one matrix of the batch, [m][n].
struct Output {
  Out* c;
  int m;
  int n;

  __device__ void write_one(int token, int column, float value) const {
    if (token < m && column < n) c[(i64)token * n + column] = rounded(value);
  }

  /// Whether write_pairs() may be called: two neighbours in a row of C then fit one aligned store.
  __device__ bool has_pairs() const { return OUT_BYTES == 2 && n % 2 == 0; }

  /// Writes two tokens of one row of W. With the thread that is 4 lanes off and has the next row of W, they become two
  /// rows of W of one token.
  __device__ void write_pairs(int token, int column, float first, float second) const {
#if OUT_BYTES == 2
    const u32 own = rounded_pair(first, second);
    const u32 other = __shfl_xor_sync(0xffffffffu, own, 4);
    const int odd = threadIdx.x / 4 % 2;
    token += odd;
    column -= odd;
    if (token < m && column < n)
      *(u32*)(c + (i64)token * n + column) = odd ? __byte_perm(other, own, 0x7632) : __byte_perm(own, other, 0x5410);
#endif
  }

  /// The same for any C.
  __device__ void write_two(int token, int column, float first, float second) const {
    if (has_pairs()) {
      write_pairs(token, column, first, second);
    } else {
      write_one(token, column, first);
      write_one(token + 1, column, second);
    }
  }
};

/// The first of the two rows of W whose sums this thread has, among 64. The other is 8 further.
__device__ inline int row_of_thread() { return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4; }

/// The first of the two tokens whose sums this thread has, among eight. The other is the next.
__device__ inline int token_of_thread() { return threadIdx.x % 4 * 2; }
