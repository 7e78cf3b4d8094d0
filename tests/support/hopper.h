// What tests of families for Hopper share. They run on machines without one, too.
#pragma once

#include <fmt/format.h>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

inline const DeviceInfo h100{.kind = DeviceKind::cuda, .arch = "sm90", .cu_num = 132};

/// MXFP4 with packed weights, bf16 out.
inline Problem a4w4(std::int64_t m, std::int64_t n, std::int64_t k) {
  return parse_problem(fmt::format("{}x{}x{}:e2m1/1x32:e2m1/1x32:bf16:packed", m, n, k));
}

}  // namespace gemmtune
