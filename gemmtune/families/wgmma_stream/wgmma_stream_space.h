// The search space of wgmma_stream: how a product of FP8 or 16-bit types with few rows of A may be divided.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/stream_space.h"
#include "gemmtune/families/wgmma_stream/wgmma_stream_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_wgmma_stream(const Problem& problem, const DeviceInfo& device);

/// The space of stream_space(), whose points have names like wgmma_stream_n64_r1_u1_q1_c4_x1_s4_t4_a0. The family also
/// prepares points that the constraints leave out, if they are kernels.
Space wgmma_stream_space(const Problem& problem, const DeviceInfo& device);

}  // namespace gemmtune
