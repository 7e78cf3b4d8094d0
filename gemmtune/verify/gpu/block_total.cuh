// Sums and maxima over the threads of a block.
#pragma once

constexpr int most_threads = 256;

struct Plus {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Larger {
  __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};

/// The block has a power of two of threads, most_threads at most. All of them get the result.
template <typename Combine, typename T>
__device__ T over_block(T value) {
  __shared__ T parts[most_threads];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] = Combine()(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  const T result = parts[0];
  __syncthreads();  // before the next call uses the parts
  return result;
}
