// C = A · Wᵀ for few rows of A, e4m3 with a scale for each 1×128 of A and each 128×128 of W. The time is that of
// reading W, which passes once through shared memory. C is computed transposed: 64 rows of W are wgmma's M, the rows of
// A ("tokens") its N. docs/fp8-on-hopper.md explains what this is built for.
//
// kernels/stream/block.cuh says what a block does. The warp that copies A copies all scales too, 128 of K at a time.
// The tensor core sums 128 of K. The sum times both scales is then added in float.
//
// With STREAM_W_ROWS, W has one scale for each row instead, which C is multiplied by as it is written.

#include "gemmtune/families/fp8_block_stream/block_stream_layout.cuh"
#include "gemmtune/kernels/stream/block.cuh"
#include "gemmtune/kernels/stream/write.cuh"

// ---- copying

/// Where a lane finds the scales that it copies in each step.
struct ScaleSource {
  const u8* from;  // for the block's first chunk
  bool exists;
};

constexpr int scales_of_lane = (scales + 31) / 32;
constexpr bool w_has_rows = STREAM_W_ROWS;

struct ScaleCopier {
  const Shared& shared;
  const Arguments& g;
  const Place& place;
  int lane;

  __device__ ScaleSource source(int i) const {
    const StreamArguments& s = g.stream;
    if (i < tokens) {
      const bool exists = i < s.m;
      const i64 row = (i64)place.batch * s.m + (exists ? i : 0);
      return {(const u8*)(g.a_scale + row * s.chunks + place.first), exists};
    }
    if (w_has_rows) return {(const u8*)g.a_scale, false};  // zeros, which nobody reads
    const int row = place.row + (i - tokens) * 64;
    const bool exists = i - tokens < bricks && row < s.n;
    const i64 block = (i64)place.batch * ((s.n + 127) / 128) + (exists ? row / 128 : 0);
    return {(const u8*)(g.w_scale + block * s.chunks + place.first), exists};
  }

  __device__ void load(const ScaleSource (&sources)[scales_of_lane], int i, int stage) const {
#pragma unroll
    for (int j = 0; j < scales_of_lane; ++j) {
      const int at = lane + 32 * j;
      if (at < scales) cp_async<4>(scale_at(shared, stage, at), sources[j].from + i * 4, sources[j].exists);
    }
    cp_async_mbarrier_arrive(shared.a_full(stage));
  }
};

// ---- multiplying

/// The factors of the sums of eight tokens, of which this thread has two.
__device__ inline float2 factors(const Shared& shared, int a_stage, int eight, float w_scale) {
  const float2 two = ld_shared_v2_f32(scale_at(shared, a_stage, eight * 8 + threadIdx.x % 4 * 2));
  return {two.x * w_scale, two.y * w_scale};
}

/// Adds the products of 128 of K. Where registers allow it, the factors are read while the tensor core multiplies.
__device__ inline void multiply_chunk(const Multiplier& multiplier, float (&totals)[subtiles][held], int w_stage,
                                      int a_stage) {
  constexpr bool reads_early = tokens * (subtiles + 2) <= 384;
  const Shared& shared = multiplier.shared;
  const float w_scale =
      w_has_rows ? 1.0f : ld_shared_f32(scale_at(shared, a_stage, tokens + multiplier.group * subtiles));
  float sums[held];
  float2 early[eights];
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) {
    multiplier.start(sums, w_stage, a_stage, sub);
    if (reads_early && sub == 0)
#pragma unroll
      for (int eight = 0; eight < eights; ++eight) early[eight] = factors(shared, a_stage, eight, w_scale);
    wgmma_wait_group<0>();
    pin(sums);
#pragma unroll
    for (int eight = 0; eight < eights; ++eight) {
      const float2 two = reads_early ? early[eight] : factors(shared, a_stage, eight, w_scale);
#pragma unroll
      for (int i = 0; i < 4; ++i) totals[sub][4 * eight + i] += sums[4 * eight + i] * (i % 2 == 0 ? two.x : two.y);
    }
  }
}

// ---- results

struct Writer {
  Output out;
  const StreamArguments& g;
  int row;
  const float* row_scales;  // of W, of this matrix; only with STREAM_W_ROWS

  __device__ void write(const Piece& piece, int sub, int eight) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = row + sub * 64 + row_of_thread() + 8 * half;
      const float scale = w_has_rows && n < g.n ? row_scales[n] : 1.0f;
      float bias = 0;
#if STREAM_BIAS
      if (n < g.n) bias = float_of(((const Out*)g.bias)[n]);
#endif
      out.write_two(eight * 8 + token_of_thread(), n, piece.of[2 * half] * scale + bias,
                    piece.of[2 * half + 1] * scale + bias);
    }
  }
};

/// See run_block().
struct Work {
  const Arguments& g;

  /// A stage of A is complete with its bytes and each lane's scales.
  __device__ void init_barriers(const Shared& shared) const { init_ring_barriers(shared, 1 + 32); }

  __device__ void copy_activations(const Copier& copier) const {
    const ScaleCopier scale_copier = {copier.shared, g, copier.place, copier.lane};
    ScaleSource sources[scales_of_lane];
#pragma unroll
    for (int j = 0; j < scales_of_lane; ++j) sources[j] = scale_copier.source(copier.lane + 32 * j);
    pdl_wait();
    ::copy_activations(copier, [&](int i, int stage) { scale_copier.load(sources, i, stage); });
  }

  __device__ void multiply(const Multiplier& multiplier) const {
    float totals[subtiles][held];
    sum_up(totals, [&] { multiplier.each_chunk([&](int w, int a) { multiply_chunk(multiplier, totals, w, a); }); });
    const Place& place = multiplier.place;
    const StreamArguments& s = g.stream;
    const Writer writer = {{(Out*)s.c + (i64)place.batch * s.m * s.n, s.m, s.n},
                           s,
                           place.row + multiplier.group * subtiles * 64,
                           g.w_scale + (i64)place.batch * s.n};
    multiplier.reducer().reduce(totals,
                                [&](const Piece& piece, int sub, int eight) { writer.write(piece, sub, eight); });
  }
};

extern "C" __global__ void __maxnreg__(STREAM_REGISTERS)
    multiply_block_stream(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w, Arguments g) {
  run_block(a, w, g.stream, Work{g});
}
