// The search space of mxfp4_fused: how an MXFP4 product with some dozens of rows of A may be tiled.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/mxfp4_fused/fused_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_fused(const Problem& problem, const DeviceInfo& device);

/// Names look like mxfp4_fused_n64_r2_c2_s10. Constraints leave out what has no kernel, and also points that are
/// certainly no better than others. The family prepares the latter points all the same.
Space fused_space(const Problem& problem, const DeviceInfo& device);

FusedTile fused_tile(const Point& point);

}  // namespace gemmtune
