// Which problems the families for block-scaled FP8 on Hopper take, whatever the number of rows of A.
#pragma once

#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/families/folded_mxfp8.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Why the device, the operands or the output are not theirs, or "".
inline std::string why_not_block_scaled_fp8(const Problem& problem, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  const Side a{.type = DType::e4m3, .scaling = Scaling::block_1x128};
  const Side w{.type = DType::e4m3, .scaling = Scaling::block_128x128};
  if (is_mxfp8(problem.a) || is_mxfp8(problem.w)) {
    if (auto why = why_not_folded_mxfp8(problem); !why.empty()) return why;
  } else if (problem.a != a || problem.w != w) {
    return "multiplies e4m3 with 1x128 scales by e4m3 with 128x128 scales, and MXFP8, only";
  }
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  return "";
}

}  // namespace gemmtune
