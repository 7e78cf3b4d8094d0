// The search space of the kernels for weights in scaled blocks: instruction set, rows of a tile, cache blocks, threads.
#pragma once

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/cpu_tile/block_gemm.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune::cpu_tile {

/// cpu_tile_q8xmxfp4_avx512vnni_m12_kc2048_nb256_t2.
Space make_block_space(const Problem& problem, const DeviceInfo& device);

/// The parameters of a point. Throws Error{unsupported} if this CPU or this build cannot run them.
BlockChoice block_choice_of(const Problem& problem, const Point& point, const DeviceInfo& device);

/// Whether some kernels of this build multiply the problem's types.
bool has_block_kernels(const Problem& problem);

}  // namespace gemmtune::cpu_tile
