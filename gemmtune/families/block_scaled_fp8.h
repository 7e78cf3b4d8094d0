// Which problems the families for block-scaled FP8 on Hopper take, whatever the number of rows of A.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/families/float_scales.h"
#include "gemmtune/families/folded_mxfp8.h"
#include "gemmtune/families/fp8_in_call.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// What the families accept besides the features of all families.
inline FeatureSet block_scaled_features() {
  return basic_features().with(mxfp8_features()).with(e8m0_block_features()).with({feature_of(Scaling::fp8_1x128)});
}

/// What their kernels multiply: A that the call has quantised, and scales as floats.
inline Problem block_scaled_product(const Problem& problem) { return with_float_scales(product_in_call(problem)); }

/// make(block_scaled_product(problem)), and in front of it what each call does before.
template <typename Make>
std::unique_ptr<PreparedGemm> make_block_scaled(const Problem& problem, Make make) {
  return make_in_call(problem, [&](const Problem& product) { return make_with_float_scales(product, make); });
}

/// The sources of a product's kernels, and of those in front of it.
inline std::vector<KernelSource> block_scaled_sources(const Problem& problem, std::vector<KernelSource> of_product) {
  return sources_in_call(problem, sources_with_float_scales(product_in_call(problem), std::move(of_product)));
}

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
