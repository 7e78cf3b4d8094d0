// The constants of fused.cu, the layout of a block's shared memory, and how K is distributed.
#pragma once

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/small_m/arguments.h"
#include "gemmtune/kernels/small_m/tile.cuh"

constexpr int stages = SMALL_M_STAGES;          // stages of the pipeline; each holds a chunk of 128 of K
constexpr int promote = 4;                      // chunks that the tensor core sums before they are added in float
constexpr int early = 4 < stages ? 4 : stages;  // chunks of weights that are loaded before anything else
constexpr int shared_bytes = SMALL_M_SHARED_BYTES;

constexpr int threads = 128 + row_groups * 128;
constexpr int chunk_k = 128;
constexpr int w_stage_bytes = row_groups * brick_bytes;
constexpr int a_stage_bytes = tile_m * chunk_k;

constexpr int even_registers = SMALL_M_REGISTERS;  // at the start; later, registers move to the warps that multiply
constexpr int few_registers = 56;
constexpr int spared = (even_registers * (row_groups + 1) - few_registers) / row_groups / 8 * 8;
constexpr int many_registers = spared < 240 ? spared : 240;

constexpr int w_at = stages * a_stage_bytes;
constexpr int far_sums_at = w_at + stages * w_stage_bytes;
constexpr int barriers_at = far_sums_at + finished_here * (cluster - 1) * sums_bytes;
constexpr int barrier_count = 2 * stages + 2 * row_groups;
static_assert(barriers_at + 8 * barrier_count == shared_bytes);

struct Ring {
  int stage;
  u32 phase;
  __device__ void next() {
    if (++stage < stages) return;
    stage = 0;
    phase ^= 1;
  }
};

struct Shared {
  u32 base;
  __device__ u32 a(int stage) const { return base + stage * a_stage_bytes; }
  __device__ u32 w(int stage, int group) const { return base + w_at + stage * w_stage_bytes + group * brick_bytes; }
  __device__ u32 far_sums(int row_group, int slot) const {
    return base + far_sums_at + (row_group / cluster * (cluster - 1) + slot) * sums_bytes;
  }
  __device__ u32 full(int stage) const { return base + barriers_at + 8 * stage; }
  __device__ u32 empty(int stage) const { return full(stages + stage); }
  __device__ u32 far_full(int row_group) const { return full(2 * stages + row_group); }
  __device__ u32 far_empty(int row_group) const { return far_full(row_groups + row_group); }
};

/// A block's part of K, in chunks. Their number is even, as in packed weights.
struct Part {
  int first;
  int count;
};

__device__ inline Part part_of(const Sizes& s, int part) {
  const int pairs = chunks_of(s) / 2;
  const int first = pairs * part / cluster;
  return {2 * first, 2 * (pairs * (part + 1) / cluster - first)};
}
