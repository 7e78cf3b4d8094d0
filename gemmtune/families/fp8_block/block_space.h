// The search space of fp8_block: how a block-scaled FP8 product with many rows of A may be tiled.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/fp8_block/block_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// Why the family has no kernel for the problem, or "".
std::string why_not_block(const Problem& problem, const DeviceInfo& device);

/// Names look like fp8_block_m256_n128_r2_one_s4_cm1_cn2_g8_alongm_k1: the members of BlockTile in their order.
/// Constraints leave out what has no kernel, and also points that are hardly better than others. The family prepares
/// the latter points all the same.
Space block_space(const Problem& problem, const DeviceInfo& device);

BlockTile block_tile(const Point& point);

}  // namespace gemmtune
