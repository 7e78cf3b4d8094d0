// The search space of fp8_block_stream: how a block-scaled FP8 product with few rows of A may be divided.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/fp8_block_stream/block_stream_gemm.h"
#include "gemmtune/families/stream_space.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_block_stream(const Problem& problem, const DeviceInfo& device);

/// The space of stream_space(), whose points have names like fp8_block_stream_n64_r1_u1_q1_c4_x1_s4_t4_a0. The family
/// also prepares points that the constraints leave out, if they are kernels.
Space block_stream_space(const Problem& problem, const DeviceInfo& device);

inline BlockStreamTile block_stream_tile(const Point& point) { return stream_tile(point); }

}  // namespace gemmtune
