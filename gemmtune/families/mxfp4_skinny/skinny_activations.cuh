// The activations of skinny.cu: one warp copies codes and scales to shared memory, and other warps convert the codes to
// e4m3, in the order that wgmma reads, and the scales to float.
#pragma once

#include "gemmtune/families/mxfp4_skinny/skinny_layout.cuh"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/bits.h"
#include "gemmtune/kernels/small_m/ptx.cuh"

/// 2^exponent, for exponents from -149 to 127.
__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(exponent >= -126 ? (u32)(exponent + 127) << 23 : 1u << (exponent + 149));
}

struct Block {
  uint4 codes;
  u32 exponent;
};

__device__ inline float nan_value() { return __uint_as_float(0x7fc00000u); }

__device__ inline void convert_block(const Block& b, u32 to, u32 scale_to) {
  const u32 words[4] = {b.codes.x, b.codes.y, b.codes.z, b.codes.w};
  gemmtune::E4M3Words bytes[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) bytes[i] = gemmtune::move_codes(words[i]);
  st_shared_v4(to, {bytes[0].first, bytes[1].first, bytes[2].first, bytes[3].first});
  st_shared_v4(to + 128, {bytes[0].second, bytes[1].second, bytes[2].second, bytes[3].second});
  st_shared_f32(scale_to, b.exponent == 255 ? nan_value() : power_of_two((int)b.exponent - 127));
}

/// The rows of A that a tile takes, for the lanes of the warp that copies them.
struct Activations {
  const u8* codes;
  const u8* scales;
  int rows;  // rows of A from the tile's first row to the end
  int blocks;
};

__device__ inline Activations activations_of(const u8* a, const u8* a_scale, const Sizes& s, const Tile& tile) {
  const int blocks = s.k / 32;
  const i64 first = ((i64)tile.batch * s.m + tile.m_tile * tile_m) * blocks;
  return {a + first * 16, a_scale + first, s.m - tile.m_tile * tile_m, blocks};
}

/// Copies the scales of a unit, `bytes` at a time. There is room for 8 of each row.
template <int bytes>
__device__ inline void copy_scales(u32 to, const Activations& a, int block, int lane) {
  constexpr int of_row = 8 / bytes;
  constexpr int count = tile_m * of_row;
#pragma unroll
  for (int first = 0; first < count; first += 32) {
    const int i = first + lane;
    if (count % 32 != 0 && i >= count) break;
    const int row = i / of_row;
    const int at = block + i % of_row * bytes;
    cp_async<bytes>(to + i * bytes, a.scales + (i64)row * a.blocks + at, row < a.rows && at < a.blocks);
  }
}

/// The same for rows of scales that are not aligned.
__device__ inline void copy_scale_bytes(u32 to, const Activations& a, int block, int lane) {
#pragma unroll 1
  for (int i = lane; i < tile_m * 8; i += 32) {
    const int row = i / 8;
    const int at = block + i % 8;
    st_shared_u8(to + i, row < a.rows && at < a.blocks ? a.scales[(i64)row * a.blocks + at] : 0);
  }
}

/// Copies a unit of A. Rows beyond M and blocks beyond K become zeros.
__device__ inline void copy_unit(u32 to, const Activations& a, int unit, int lane) {
  const int block = unit * 8 + lane % 8;
  const int rows = block < a.blocks ? a.rows : 0;
  const u8* from = a.codes + ((i64)(lane / 8) * a.blocks + block) * 16;
  const u32 lane_to = to + lane / 8 * raw_row_bytes + lane % 8 * 16;
#pragma unroll
  for (int i = 0; i < tile_m / 4; ++i)
    cp_async<16>(lane_to + 4 * i * raw_row_bytes, from + (i64)(4 * i) * a.blocks * 16, 4 * i + lane / 8 < rows);
  const u32 scales = to + tile_m * raw_row_bytes;
  if (a.blocks % 8 == 0)
    copy_scales<8>(scales, a, unit * 8, lane);
  else if (a.blocks % 4 == 0)
    copy_scales<4>(scales, a, unit * 8, lane);
  else
    copy_scale_bytes(scales, a, unit * 8, lane);
}

__device__ inline void copy_unit(const Shared& shared, const Ring& ring, const Activations& a, int unit, int lane) {
  copy_unit(shared.raw(ring.stage), a, unit, lane);
  cp_async_mbarrier_arrive(shared.raw_full(ring.stage));
  __syncwarp();
  if (lane == 0) mbarrier_arrive(shared.raw_full(ring.stage));
}

/// Run by one warp: keeps the ring of A's codes filled.
__device__ inline void copy_activations(const Shared& shared, const u8* a, const u8* a_scale, const Sizes& s, int units,
                                        int lane) {
  pdl_wait();
  const int rank = cluster_rank<cluster>();
  Ring ring = {0, 1};
  for (int index = blockIdx.x / cluster; index < tile_count(s); index += gridDim.x / cluster) {
    const Activations activations = activations_of(a, a_scale, s, tile_at(s, index));
    for (int first = rank * k_groups; first < units; first += parts)
      for (int unit = first; unit < min(first + k_groups, units); ++unit) {
        mbarrier_wait(shared.raw_empty(ring.stage), ring.phase);
        copy_unit(shared, ring, activations, unit, lane);
        ring.next(raw_stages);
      }
  }
}

/// Run by a converting warp, which converts every `converters`-th item of all units.
__device__ inline void convert_activations(const Shared& shared, const Sizes& s, int units, int warp, int lane) {
  const int rank = cluster_rank<cluster>();
  int count = 0;  // units of this block, over all its tiles
#pragma unroll
  for (int q = 0; q < k_groups; ++q) count += units_of(units, rank * k_groups + q);
  count *= tiles_of_this(s);
  Ring raw_ring = {0, 0};
  Ring a_ring = {0, 1};
  int first = warp;  // the next item, counted from the unit's first
  for (int unit = 0; unit < count; ++unit) {
    mbarrier_wait(shared.raw_full(raw_ring.stage), raw_ring.phase);
    mbarrier_wait(shared.a_empty(a_ring.stage), a_ring.phase);
    const u32 raw = shared.raw(raw_ring.stage);
    int item = first;
    for (; item < items; item += converters) {
      const int row = item % (tile_m / 8) * 8 + lane % 8;
      const int step = item / (tile_m / 8) * 4 + lane / 8;
      const Block block = {ld_shared_v4(raw + row * raw_row_bytes + step * 16),
                           ld_shared_u8(raw + tile_m * raw_row_bytes + row * 8 + step)};
      convert_block(block, shared.a(a_ring.stage) + step * a_step_bytes + row / 8 * 256 + lane % 8 * 16,
                    shared.scales(a_ring.stage) + (step * tile_m + row) * 4);
    }
    first = item - items;
    fence_proxy_async();
    __syncwarp();
    if (lane == 0) {
      mbarrier_arrive(shared.a_full(a_ring.stage));
      mbarrier_arrive(shared.raw_empty(raw_ring.stage));
    }
    raw_ring.next(raw_stages);
    a_ring.next(a_stages);
  }
}
