// The search space of a16w4_wgmma: how a product of bf16 and weights of 4 bits may be divided.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/a16w4_wgmma/w4_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_w4(const Problem& problem, const DeviceInfo& device);

/// Names look like a16w4_wgmma_n16_r2_u1_q1_c2_x1_s4: the members of W4Tile in their order. Constraints leave out what
/// has no kernel, and also points that are hardly better than others. The family prepares the latter points all the
/// same.
Space w4_space(const Problem& problem, const DeviceInfo& device);

W4Tile w4_tile(const Point& point);

}  // namespace gemmtune
