// The problems of this family's tests.
#pragma once

#include <string>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// e4m3 with 1x128 and 128x128 scales; `rest` is the output's type and options.
inline std::string block_scaled_text(const std::string& sizes, const std::string& rest = "bf16") {
  return sizes + ":e4m3/1x128:e4m3/128x128:" + rest;
}

inline Problem block_scaled(const std::string& sizes, const std::string& rest = "bf16") {
  return parse_problem(block_scaled_text(sizes, rest));
}

}  // namespace gemmtune
