// The search spaces of a16w4_wgmma and a8w4_wgmma: how a product with weights of 4 bits may be divided.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/w4/w4_gemm.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// What A is.
enum class W4Activations : std::uint8_t { bf16, e4m3 };

std::string_view w4_family_name(W4Activations activations);

/// Why the family has no kernel for the problem, or "".
std::string why_not_w4(W4Activations activations, const Problem& problem, const DeviceInfo& device);

/// The space of the family for this problem's A. Names look like a16w4_wgmma_n16_r2_u1_q1_c2_x1_s4: the members of
/// W4Tile in their order. Constraints leave out what
/// has no kernel, and also points that are hardly better than others. The family prepares the latter points all the
/// same.
Space w4_space(const Problem& problem, const DeviceInfo& device);

W4Tile w4_tile(const Point& point);

}  // namespace gemmtune
