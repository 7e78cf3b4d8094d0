// The search space of fp8_block_stream: how a block-scaled FP8 product with few rows of A may be divided.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/fp8_block_stream/block_stream_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_block_stream(const Problem& problem, const DeviceInfo& device);

/// Names look like fp8_block_stream_n64_r1_u1_q1_c4_x1_s4_t4_a0: the members of BlockStreamTile in their order.
/// Constraints leave out what has no kernel, and also points that are hardly better than others. The family prepares
/// the latter points all the same.
Space block_stream_space(const Problem& problem, const DeviceInfo& device);

BlockStreamTile block_stream_tile(const Point& point);

}  // namespace gemmtune
