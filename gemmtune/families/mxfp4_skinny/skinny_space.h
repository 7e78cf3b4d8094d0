// The search space of mxfp4_skinny: how an MXFP4 product with few rows of A may be tiled.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/mxfp4_skinny/skinny_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_skinny(const Problem& problem, const DeviceInfo& device);

/// Names look like mxfp4_skinny_n16_r1_q3_c1_s3_v6. Constraints leave out what has no kernel, and also points that are
/// certainly no better than others. The family prepares the latter points all the same.
Space skinny_space(const Problem& problem, const DeviceInfo& device);

SkinnyTile skinny_tile(const Point& point);

}  // namespace gemmtune
