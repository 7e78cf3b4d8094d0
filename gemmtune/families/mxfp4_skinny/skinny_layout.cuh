// The constants of skinny.cu, the layout of a block's shared memory, and how K is distributed.
#pragma once

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/small_m/arguments.h"
#include "gemmtune/kernels/small_m/tile.cuh"

constexpr int k_groups = SMALL_M_K_GROUPS;
constexpr int w_stages = SMALL_M_W_STAGES;  // for each multiplying warpgroup
constexpr int a_stages = SMALL_M_A_STAGES;
constexpr int raw_stages = SMALL_M_RAW_STAGES;  // stages of A's codes before they are converted
constexpr int converters = SMALL_M_CONVERTERS;  // 2 or 6 warps
constexpr int shared_bytes = SMALL_M_SHARED_BYTES;

constexpr int threads = (2 + converters) * 32 + row_groups * k_groups * 128;
constexpr int groups = row_groups * k_groups;

// Registers move from the warps that copy and convert to those that multiply.
constexpr int other_groups = (2 + converters) / 4;
constexpr int even_registers = 65536 / threads / 8 * 8 < 256 ? 65536 / threads / 8 * 8 : 248;
constexpr int few_registers = 56;
constexpr int spared = (even_registers * (groups + other_groups) - few_registers * other_groups) / groups / 8 * 8;
constexpr int many_registers = spared < 240 ? spared : 240;

constexpr int parts = cluster * k_groups;  // parts among which K is distributed
constexpr int unit_k = gemmtune::small_m_unit_k;
constexpr int unit_bytes = gemmtune::small_m_unit_bytes;
constexpr int a_step_bytes = tile_m * 32;
constexpr int a_unit_bytes = 8 * a_step_bytes;
constexpr int scale_unit_floats = 8 * tile_m;
constexpr int raw_row_bytes = 128 + 16;  // distance between rows, such that 8 rows are in different banks
constexpr int raw_unit_bytes = tile_m * (raw_row_bytes + 8);
constexpr int items = tile_m / 4;  // items of a unit of A: 8 rows × 4 blocks, of which each lane of a warp converts one

constexpr int align(int bytes, int to) { return (bytes + to - 1) / to * to; }
constexpr int w_at = 0;
constexpr int a_at = w_at + groups * w_stages * unit_bytes;
constexpr int scale_at = a_at + a_stages * a_unit_bytes;
constexpr int raw_at = align(scale_at + a_stages * scale_unit_floats * 4, 128);
constexpr int sums_at = align(raw_at + raw_stages * raw_unit_bytes, 128);
constexpr int far_sums_at = sums_at + row_groups * (k_groups - 1) * sums_bytes;
constexpr int barriers_at = far_sums_at + finished_here * (cluster - 1) * sums_bytes;
constexpr int barrier_count = 2 * groups * w_stages + 2 * a_stages + 2 * raw_stages + 2 * row_groups;
static_assert(barriers_at + 8 * barrier_count == shared_bytes);
// A warpgroup must not wait for the next unit of a stage before the stage's last unit has arrived: it would mistake the
// old phase for the new one.
static_assert(a_stages >= 2 * k_groups);

/// The number of tiles that this cluster works on.
__device__ inline int tiles_of_this(const Sizes& s) {
  const int step = gridDim.x / cluster;
  return (tile_count(s) - (int)blockIdx.x / cluster + step - 1) / step;
}

/// The number of units that part `part` of `parts` has.
__device__ inline int units_of(int units, int part) { return (units - part + parts - 1) / parts; }

struct Ring {
  int stage;
  u32 phase;
  __device__ void next(int stages, int by = 1) {
    stage += by;
    if (stage < stages) return;
    stage -= stages;
    phase ^= 1;
  }
};

struct Shared {
  u32 base;
  __device__ u32 w(int group, int stage) const { return base + w_at + (group * w_stages + stage) * unit_bytes; }
  __device__ u32 a(int stage) const { return base + a_at + stage * a_unit_bytes; }
  __device__ u32 scales(int stage) const { return base + scale_at + stage * scale_unit_floats * 4; }
  __device__ u32 raw(int stage) const { return base + raw_at + stage * raw_unit_bytes; }
  __device__ u32 sums(int row_group, int slot) const {
    return base + sums_at + (row_group * (k_groups - 1) + slot) * sums_bytes;
  }
  __device__ u32 far_sums(int row_group, int slot) const {
    return base + far_sums_at + (row_group / cluster * (cluster - 1) + slot) * sums_bytes;
  }
  __device__ u32 barrier(int i) const { return base + barriers_at + 8 * i; }
  __device__ u32 w_full(int group, int stage) const { return barrier(group * w_stages + stage); }
  __device__ u32 w_empty(int group, int stage) const { return barrier((groups + group) * w_stages + stage); }
  __device__ u32 a_full(int stage) const { return barrier(2 * groups * w_stages + stage); }
  __device__ u32 a_empty(int stage) const { return barrier(2 * groups * w_stages + a_stages + stage); }
  __device__ u32 raw_full(int stage) const { return barrier(2 * groups * w_stages + 2 * a_stages + stage); }
  __device__ u32 raw_empty(int stage) const { return raw_full(raw_stages + stage); }
  __device__ u32 far_full(int row_group) const { return raw_full(2 * raw_stages + row_group); }
  __device__ u32 far_empty(int row_group) const { return far_full(row_groups + row_group); }
};
