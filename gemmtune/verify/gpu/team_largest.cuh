// The largest of the numbers that a team of threads has: a warp or a thread block.
#pragma once

__device__ unsigned warp_largest(unsigned value) {
  for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_xor_sync(0xffffffffU, value, step));
  return value;
}

/// `team` is 32 for a warp, else the size of the block. A block may call this once.
__device__ unsigned team_largest(unsigned value, int team) {
  value = warp_largest(value);
  if (team == 32) return value;
  __shared__ unsigned of_warps[32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_largest(threadIdx.x % 32 < blockDim.x / 32 ? of_warps[threadIdx.x % 32] : 0);
}
