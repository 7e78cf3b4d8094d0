// Which scales a product has, and where A's are in a block's shared memory. Macros, set by wgmma_stream_gemm.cpp:
//   STREAM_A_SCALES    0 none, 1 one for the whole matrix, 2 one for each row; and STREAM_W_SCALES
//   STREAM_BIAS
// and those of output_element.cuh and kernels/stream/block.cuh.
#pragma once

#include "gemmtune/families/wgmma_stream/wgmma_stream_arguments.h"
#include "gemmtune/kernels/stream/rings.cuh"

using Arguments = gemmtune::WgmmaStreamArguments;

enum class Scales { none, matrix, rows };

constexpr Scales a_scales = (Scales)STREAM_A_SCALES;
constexpr Scales w_scales = (Scales)STREAM_W_SCALES;
constexpr bool has_scales = a_scales != Scales::none || w_scales != Scales::none;
constexpr bool has_token_scales = a_scales == Scales::rows;

/// The tensor core's sums of e4m3 have 13 bits, so that they are moved to float after each chunk. Those of 16-bit types
/// are floats.
constexpr bool promotes = STREAM_ELEMENT_BYTES == 1;
static_assert(promotes || (w_stages >= 2 * k_groups && a_stages >= 2 * k_groups), "see multiply_in_place()");

/// A scale for each token, then an mbarrier that tells that they are there.
constexpr int token_scales_bytes = tokens * 4;
static_assert((has_token_scales ? token_scales_bytes + 8 : 0) == STREAM_OWN_BYTES);

__device__ inline u32 token_scale_at(const Shared& shared, int token) { return shared.own() + token * 4; }
__device__ inline u32 token_scales_full(const Shared& shared) { return shared.own() + token_scales_bytes; }
