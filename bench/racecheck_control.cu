// A control for compute-sanitizer's racecheck: two warps pass one stage of shared memory back and forth, ordered by
// mbarriers. In both variants all accesses are ordered; racecheck reports hazards in the second one.
//
//   nvcc -O1 -lineinfo -arch=sm_90 bench/racecheck_control.cu -o racecheck_control
//   compute-sanitizer --tool racecheck ./racecheck_control all
//   compute-sanitizer --tool racecheck ./racecheck_control one
#include <cstdint>
#include <cstdio>

namespace {

constexpr int lanes = 32;
constexpr int rounds = 8;

__device__ unsigned address(std::uint64_t* barrier) { return static_cast<unsigned>(__cvta_generic_to_shared(barrier)); }

__device__ void init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}

__device__ void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(address(barrier)),
      "r"(parity)
      : "memory");
}

/// Either every lane arrives, or lane 0 does after the others' accesses are ordered before its own.
template <bool EveryLane>
__device__ void arrive_with_the_warp(std::uint64_t* barrier) {
  if (!EveryLane) __syncwarp();
  if (EveryLane || threadIdx.x % lanes == 0) arrive(barrier);
}

template <bool EveryLane>
__global__ void pass_back_and_forth(int* sums) {
  __shared__ int stage[lanes];
  __shared__ std::uint64_t full, empty;
  const int lane = threadIdx.x % lanes;
  if (threadIdx.x == 0) {
    init(&full, EveryLane ? lanes : 1);
    init(&empty, EveryLane ? lanes : 1);
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x < lanes) {
      wait(&empty, (i & 1) ^ 1);
      stage[lane] = i + lane;
      arrive_with_the_warp<EveryLane>(&full);
    } else {
      wait(&full, i & 1);
      sum += stage[(lane + 1) % lanes];
      arrive_with_the_warp<EveryLane>(&empty);
    }
  }
  if (threadIdx.x >= lanes) sums[lane] = sum;
}

}  // namespace

int main(int count, char** arguments) {
  const bool every_lane = count > 1 && arguments[1][0] == 'a';
  int* sums{};
  cudaMalloc(&sums, lanes * sizeof(int));
  if (every_lane)
    pass_back_and_forth<true><<<1, 2 * lanes>>>(sums);
  else
    pass_back_and_forth<false><<<1, 2 * lanes>>>(sums);
  int found[lanes];
  cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost);
  const int expected = rounds * (rounds - 1) / 2 + rounds * 1;
  std::printf("%s: %s, lane 0 has %d, expected %d\n", every_lane ? "every lane arrives" : "one lane arrives",
              cudaGetErrorString(cudaGetLastError()), found[0], expected);
}
