// How an MXFP4 product may be tiled for 8-bit tensor cores: the search spaces of mxfp4_int8 and mxfp4_fp8.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/wgmma_gemm.h"
#include "gemmtune/space/space.h"

namespace gemmtune::folded_wgmma {

/// The family's name: "mxfp4_int8", "mxfp4_fp8".
std::string family_name(FoldType type);

/// Why this family does not support the problem, or "".
std::string why_unsupported(const Problem& problem, FoldType type, const DeviceInfo& device);

/// Names look like mxfp4_int8_row_m128_n256_s4_cm2_cn1_g8_alongm_p0_k1. Constraints also leave out points that are
/// certainly no better than others. prepare() accepts those points all the same.
Space space_of(const Problem& problem, FoldType type, const DeviceInfo& device);

WgmmaTile tile_of(const Point& point);

/// The product that a point computes, with scales for rows or for chunks.
WgmmaProduct product_of(const Problem& problem, FoldType type, const Point& point);

}  // namespace gemmtune::folded_wgmma
