// A on its way to stream.cu's tensor cores: one warp copies codes and scales to shared memory, others make them e4m3 in
// the order that wgmma reads, and find their scales.

/// 2^exponent, -149 … 127.
__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(exponent >= -126 ? (u32)(exponent + 127) << 23 : 1u << (exponent + 149));
}

/// Above the lowest, at which 6 is still below e4m3's end.
constexpr int highest_shift = gemmtune::stream_row_binades;

struct Picker {
  __device__ u32 operator()(u32 low, u32 high, u32 selectors) const { return __byte_perm(low, high, selectors); }
};

struct Block {
  uint4 codes;
  u32 exponent;
};

__device__ inline float nan_value() { return __uint_as_float(0x7fc00000u); }

__device__ inline void store_block(const gemmtune::StreamBytes (&bytes)[4], u32 to) {
  shared_store4(to, {bytes[0].first, bytes[1].first, bytes[2].first, bytes[3].first});
  shared_store4(to + 128, {bytes[0].second, bytes[1].second, bytes[2].second, bytes[3].second});
}

/// Each block by itself.
__device__ inline void convert_blocks(const Block& b, u32 to, u32 scale_to) {
  const u32 words[4] = {b.codes.x, b.codes.y, b.codes.z, b.codes.w};
  gemmtune::StreamBytes bytes[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) bytes[i] = gemmtune::move_codes(words[i]);
  store_block(bytes, to);
  shared_storef(scale_to, b.exponent == 255 ? nan_value() : power_of_two((int)b.exponent - 127));
}

__device__ inline void expand_block(const uint4& codes, int shift, u32 to) {
  const u32 words[4] = {codes.x, codes.y, codes.z, codes.w};
  const auto table = gemmtune::stream_magnitudes((u32)shift);
  gemmtune::StreamBytes bytes[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) bytes[i] = gemmtune::look_up_codes(words[i], table, Picker{});
  store_block(bytes, to);
}

/// The four blocks of a row's chunk, in lanes l, l+8, l+16, l+24, to a base that they share, if they fit one.
__device__ inline bool convert_chunks(const Block& b, u32 to, u32 scale_to) {
  const u32 words[4] = {b.codes.x, b.codes.y, b.codes.z, b.codes.w};
  const bool zero = ((words[0] | words[1] | words[2] | words[3]) & 0x77777777u) == 0;
  const int own = b.exponent;
  int highest = own == 255 ? 1000 : zero ? -1 : own;
  int lowest = zero ? 1000 : own;
  highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, 8));
  highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, 16));
  lowest = min(lowest, __shfl_xor_sync(0xffffffffu, lowest, 8));
  lowest = min(lowest, __shfl_xor_sync(0xffffffffu, lowest, 16));
  const bool wide = highest < 1000 && highest - lowest > highest_shift;
  const int base = wide && !zero ? own : highest < 0 ? 127 : highest;
  const int shift = zero || highest == 1000 ? 0 : own - base + highest_shift;
  expand_block(b.codes, shift, to);
  shared_storef(scale_to, highest == 1000 ? nan_value() : power_of_two(base - 127 - 12));
  return wide;
}

/// A row's chunk by one lane: the same.
__device__ inline bool convert_row(u32 codes, u32 exponents, u32 to, u32 scale_to) {
  uint4 block[4];
  bool zero[4];
  int highest = -1;
  int lowest = 1000;
  bool nan = false;
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const int own = exponents >> (8 * b) & 255u;
    block[b] = shared_load4(codes + 16 * b);
    zero[b] = ((block[b].x | block[b].y | block[b].z | block[b].w) & 0x77777777u) == 0;
    nan |= own == 255;
    highest = max(highest, zero[b] ? -1 : own);
    lowest = min(lowest, zero[b] ? 1000 : own);
  }
  const bool wide = !nan && highest - lowest > highest_shift;
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const int own = exponents >> (8 * b) & 255u;
    const int base = wide && !zero[b] ? own : highest < 0 ? 127 : highest;
    const int shift = zero[b] || nan ? 0 : own - base + highest_shift;
    expand_block(block[b], shift, to + b * a_step_bytes);
    shared_storef(scale_to + b * tile_m * 4, nan ? nan_value() : power_of_two(base - 127 - 12));
  }
  return wide;
}

/// Rows of A that a tile takes, for the lanes of the warp that copies them.
struct Activations {
  const u8* codes;
  const u8* scales;
  int rows;  // that there are
  int blocks;
};

__device__ inline Activations activations_of(const u8* a, const u8* a_scale, const Sizes& s, const Tile& tile) {
  const int blocks = s.k / 32;
  const i64 first = ((i64)tile.batch * s.m + tile.m_tile * tile_m) * blocks;
  return {a + first * 16, a_scale + first, s.m - tile.m_tile * tile_m, blocks};
}

/// The scales of a unit in pieces, to a place for 8 of each row.
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
    copy_small<bytes>(to + i * bytes, a.scales + (i64)row * a.blocks + at, row < a.rows && at < a.blocks);
  }
}

/// Where rows of scales are not aligned.
__device__ inline void copy_scale_bytes(u32 to, const Activations& a, int block, int lane) {
#pragma unroll 1
  for (int i = lane; i < tile_m * 8; i += 32) {
    const int row = i / 8;
    const int at = block + i % 8;
    shared_store_byte(to + i, row < a.rows && at < a.blocks ? __ldg(a.scales + (i64)row * a.blocks + at) : 0);
  }
}

/// A unit of A. Zeros stand for rows beyond M and blocks beyond K.
__device__ inline void copy_unit(u32 to, const Activations& a, int unit, int lane) {
  const int block = unit * 8 + lane % 8;
  const int rows = block < a.blocks ? a.rows : 0;
  const u8* from = a.codes + ((i64)(lane / 8) * a.blocks + block) * 16;
  const u32 lane_to = to + lane / 8 * raw_row_bytes + lane % 8 * 16;
#pragma unroll
  for (int i = 0; i < tile_m / 4; ++i)
    copy_small<16>(lane_to + 4 * i * raw_row_bytes, from + (i64)(4 * i) * a.blocks * 16, 4 * i + lane / 8 < rows);
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
  barrier_arrive_when_copied(shared.raw_full(ring.stage));
  __syncwarp();
  if (lane == 0) barrier_arrive(shared.raw_full(ring.stage));
}

/// One warp, before all else: a little of A goes ahead of the many bytes of W. Returns how many units.
__device__ inline int start_activations(const Shared& shared, const u8* a, const u8* a_scale, const Sizes& s, int units,
                                        int lane) {
  if (lane == 0) {
#pragma unroll
    for (int stage = 0; stage < raw_stages; ++stage) {
      barrier_init(shared.raw_full(stage), 33);
      barrier_init(shared.raw_empty(stage), converters);
    }
    barriers_are_ready();
  }
  __syncwarp();
  const int first = cluster_rank() * k_groups;
  const Activations activations = activations_of(a, a_scale, s, tile_at(s, blockIdx.x / cluster));
  Ring ring = {0, 1};
  for (; ring.stage < raw_stages; ++ring.stage) {
    const int unit = ring.stage / k_groups * parts + first + ring.stage % k_groups;
    if (unit >= units) break;
    copy_unit(shared, ring, activations, unit, lane);
  }
  return ring.stage;
}

/// The same warp: keeps the ring of A's codes filled.
__device__ inline void copy_activations(const Shared& shared, const u8* a, const u8* a_scale, const Sizes& s, int units,
                                        int lane, int started) {
  const int rank = cluster_rank();
  Ring ring = {0, 1};
  for (int index = blockIdx.x / cluster; index < tile_count(s); index += gridDim.x / cluster) {
    const Activations activations = activations_of(a, a_scale, s, tile_at(s, index));
    for (int first = rank * k_groups; first < units; first += parts)
      for (int unit = first; unit < min(first + k_groups, units); ++unit) {
        if (--started < 0) {
          barrier_wait(shared.raw_empty(ring.stage), ring.phase);
          copy_unit(shared, ring, activations, unit, lane);
        }
        ring.next(raw_stages);
      }
  }
}

/// A converting warp: every `converters`-th item of all units.
__device__ inline void convert_activations(const Shared& shared, const Sizes& s, int units, int warp, int lane) {
  const int rank = cluster_rank();
  int count = 0;  // units of this block, of all its tiles
#pragma unroll
  for (int q = 0; q < k_groups; ++q) count += units_of(units, rank * k_groups + q);
  count *= tiles_of_this(s);
  Ring raw_ring = {0, 0};
  Ring a_ring = {0, 1};
  int first = warp;  // the next item, counted from the unit's first
  for (int unit = 0; unit < count; ++unit) {
    barrier_wait(shared.raw_full(raw_ring.stage), raw_ring.phase);
    barrier_wait(shared.a_empty(a_ring.stage), a_ring.phase);
    const u32 raw = shared.raw(raw_ring.stage);
    int item = first;
    for (; item < items; item += converters) {
      if (by_rows) {
        const int row = item / 2 * 32 + lane;
        const int chunk = item % 2;
        const bool wide = convert_row(raw + row * raw_row_bytes + chunk * 64,
                                      shared_load1(raw + tile_m * raw_row_bytes + row * 8 + chunk * 4),
                                      shared.a(a_ring.stage) + chunk * 4 * a_step_bytes + row / 8 * 256 + row % 8 * 16,
                                      shared.scales(a_ring.stage) + (chunk * 4 * tile_m + row) * 4);
        const bool any = __any_sync(0xffffffffu, wide);
        if (lane == 0) shared_store_byte(shared.wide(a_ring.stage) + item, any);
        continue;
      }
      const int row = item % (tile_m / 8) * 8 + lane % 8;
      const int chunk = item / (tile_m / 8);
      const int step = chunk * 4 + lane / 8;
      const Block block = {shared_load4(raw + row * raw_row_bytes + step * 16),
                           shared_load_byte(raw + tile_m * raw_row_bytes + row * 8 + step)};
      const u32 to = shared.a(a_ring.stage) + step * a_step_bytes + row / 8 * 256 + lane % 8 * 16;
      const u32 scale_to = shared.scales(a_ring.stage) + (step * tile_m + row) * 4;
      if (steps == 1) {
        convert_blocks(block, to, scale_to);
        continue;
      }
      const bool wide = __any_sync(0xffffffffu, convert_chunks(block, to, scale_to));
      if (lane == 0) shared_store_byte(shared.wide(a_ring.stage) + item, wide);
    }
    first = item - items;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
      barrier_arrive(shared.a_full(a_ring.stage));
      barrier_arrive(shared.raw_empty(raw_ring.stage));
    }
    raw_ring.next(raw_stages);
    a_ring.next(a_stages);
  }
}
