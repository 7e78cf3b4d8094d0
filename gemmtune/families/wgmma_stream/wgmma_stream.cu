// C = A · Wᵀ for few rows of A: e4m3 with scales of rows or of whole matrices, or bf16 or f16 without scales. The time
// is that of reading W, which passes once through shared memory. C is computed transposed: 64 rows of W are wgmma's M,
// the rows of A ("tokens") its N. docs/small-m-on-hopper.md explains what this is built for.
//
// kernels/stream/block.cuh says what a block does. Scales are applied once, to the complete sums. The warp that copies
// A copies its scales too, before all else.

#include "gemmtune/families/wgmma_stream/wgmma_stream_layout.cuh"
#include "gemmtune/kernels/stream/block.cuh"
#include "gemmtune/kernels/stream/write.cuh"

// ---- multiplying

/// Adds the products of one chunk of e4m3.
__device__ inline void add_chunk(const Multiplier& multiplier, float (&totals)[subtiles][held], int w_stage,
                                 int a_stage) {
  float sums[held];
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) {
    multiplier.start(sums, w_stage, a_stage, sub);
    wgmma_wait_group<0>();
    pin(sums);
#pragma unroll
    for (int i = 0; i < held; ++i) totals[sub][i] += sums[i];
  }
}

__device__ inline void add_all(const Multiplier& multiplier, float (&totals)[subtiles][held]) {
  if constexpr (promotes)
    multiplier.each_chunk([&](int w, int a) { add_chunk(multiplier, totals, w, a); });
  else
    multiplier.multiply_in_place(totals);
}

// ---- results

/// What the sums of a row of W are multiplied by, besides the tokens' scales, and what is added to them.
struct RowFactor {
  float scale;
  float bias;
};

/// While the first chunks are on their way, if there are registers to keep the factors in.
constexpr bool loads_factors_early = !promotes || subtiles == 1;

/// The scale of row n of W, times that of A if it has one only.
__device__ inline float scale_of_row(const Arguments& g, int batch, int n) {
  float scale = 1;
  if (w_scales == Scales::matrix) scale = g.w_scale[batch];
  if (w_scales == Scales::rows) scale = n < g.stream.n ? g.w_scale[(i64)batch * g.stream.n + n] : 0;
  return a_scales == Scales::matrix ? g.a_scale[batch] * scale : scale;
}

__device__ inline RowFactor factor_of_row(const Arguments& g, int batch, int n) {
  float bias = 0;
#if STREAM_BIAS
  if (n < g.stream.n) bias = float_of(((const Out*)g.stream.bias)[n]);
#endif
  return {scale_of_row(g, batch, n), bias};
}

struct Writer {
  Output out;
  const Shared& shared;
  const Arguments& g;
  int batch;
  int row;  // the first that this thread has; the others are 8 and 64 further
  RowFactor early[subtiles][2];

  __device__ void load_early() {
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
      for (int half = 0; half < 2; ++half) early[sub][half] = factor_of_row(g, batch, row + sub * 64 + 8 * half);
  }

  __device__ void write(const Piece& piece, int sub, int eight) const {
    const int token = eight * 8 + token_of_thread();
    float2 of_tokens = {1, 1};
    if (has_token_scales) of_tokens = ld_shared_v2_f32(token_scale_at(shared, token));
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = row + sub * 64 + 8 * half;
      const RowFactor of_row = loads_factors_early ? early[sub][half] : factor_of_row(g, batch, n);
      float first = piece.of[2 * half];
      float second = piece.of[2 * half + 1];
      if (has_scales) {
        first *= of_tokens.x * of_row.scale;
        second *= of_tokens.y * of_row.scale;
      }
      out.write_two(token, n, first + of_row.bias, second + of_row.bias);
    }
  }
};

/// See run_block().
struct Work {
  const Arguments& g;

  __device__ void init_barriers(const Shared& shared) const {
    init_ring_barriers(shared, 1);
    if (has_token_scales) mbarrier_init(token_scales_full(shared), 32);
  }

  __device__ void copy_token_scales(const Copier& copier) const {
    const int m = g.stream.m;
    const float* from = g.a_scale + (i64)copier.place.batch * m;
#pragma unroll
    for (int token = copier.lane; token < tokens; token += 32)
      cp_async<4>(token_scale_at(copier.shared, token), (const u8*)(from + min(token, m - 1)), token < m);
    cp_async_mbarrier_arrive(token_scales_full(copier.shared));
  }

  __device__ void copy_activations(const Copier& copier) const {
    pdl_wait();
    if (has_token_scales) copy_token_scales(copier);
    ::copy_activations(copier, [](int, int) {});
  }

  __device__ void multiply(const Multiplier& multiplier) const {
    const Place& place = multiplier.place;
    const StreamArguments& s = g.stream;
    const int row = place.row + multiplier.group * subtiles * 64 + row_of_thread();
    Writer writer = {{(Out*)s.c + (i64)place.batch * s.m * s.n, s.m, s.n}, multiplier.shared, g, place.batch, row, {}};
    float totals[subtiles][held];
    sum_up(totals, [&] {
      if (loads_factors_early) writer.load_early();
      add_all(multiplier, totals);
      if (has_token_scales) mbarrier_wait(token_scales_full(multiplier.shared), 0);
    });
    multiplier.reducer().reduce(totals,
                                [&](const Piece& piece, int sub, int eight) { writer.write(piece, sub, eight); });
  }
};

extern "C" __global__ void __maxnreg__(STREAM_REGISTERS)
    multiply_wgmma_stream(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w, Arguments g) {
  run_block(a, w, g.stream, Work{g});
}
