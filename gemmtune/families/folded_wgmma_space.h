// How an MXFP4 product may be cut up for 8-bit tensor cores: the search spaces of mxfp4_int8 and mxfp4_fp8.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/wgmma_gemm.h"
#include "gemmtune/space/space.h"

namespace gemmtune::folded_wgmma {

/// "mxfp4_int8", "mxfp4_fp8".
std::string family_name(FoldType type);

/// Why this family has nothing for the problem, or "".
std::string why_unsupported(const Problem& problem, FoldType type, const DeviceInfo& device);

/// Names like mxfp4_int8_row_m128_n256_s4_cm2_cn1_g8_alongm_p0_k1. What is left out because something else is
/// surely as good is a constraint too; prepare() takes it all the same.
Space space_of(const Problem& problem, FoldType type, const DeviceInfo& device);

WgmmaTile tile_of(const Point& point);

/// What a point multiplies: rows or chunks.
WgmmaProduct product_of(const Problem& problem, FoldType type, const Point& point);

}  // namespace gemmtune::folded_wgmma
