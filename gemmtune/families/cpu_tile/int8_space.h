// The search space of the int8 kernels, which MXFP4 shares: instruction set, tile, blocks, threads, and for MXFP4 the
// packing.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/cpu_tile/int8_engine.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune::cpu_tile {

/// cpu_tile_int8_avx2_m6_n8_kc1024_nb256_t2.
Space make_int8_space(const Problem& problem, const DeviceInfo& device);

/// cpu_tile_mxfp4_amxint8_fold_m32_n32_kc1024_nb256_t16.
Space make_mxfp4_space(const Problem& problem, const DeviceInfo& device);

/// The parameters of a point of either space. Throws Error{unsupported} if this CPU or this build cannot run them.
Int8Choice choice_of(const Point& point, const DeviceInfo& device);

}  // namespace gemmtune::cpu_tile
