// The problems and operands with block scales of two families' tests.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// e4m3 with 1x128 and 128x128 scales; `rest` is the output's type and options.
inline std::string block_scaled_text(const std::string& sizes, const std::string& rest = "bf16") {
  return sizes + ":e4m3/1x128:e4m3/128x128:" + rest;
}

inline Problem block_scaled(const std::string& sizes, const std::string& rest = "bf16") {
  return parse_problem(block_scaled_text(sizes, rest));
}

inline void set_scale(std::vector<std::byte>& scales, std::size_t at, float value) {
  std::memcpy(scales.data() + at * sizeof value, &value, sizeof value);
}

/// Operands with scales that are zero, NaN, and so large and small that only their product is within float's range. The
/// problem has K = 1024, eight rows of A and 129 columns at least.
inline HostOperands with_scales_far_from_one(const Problem& problem) {
  constexpr std::size_t chunks = 8;
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    set_scale(host.a_scale, 3 * chunks + chunk, 0x1p-110f);
    set_scale(host.a_scale, 5 * chunks + chunk, 0);
    set_scale(host.w_scale, 1 * chunks + chunk, 0x1p+100f);
  }
  set_scale(host.a_scale, 7 * chunks + 4, std::numeric_limits<float>::quiet_NaN());
  return host;
}

}  // namespace gemmtune
