// Which of the two encodings of FP8 E4M3 a device computes with. AITER's bpreshuffle tables of 2025 do not say it.
#pragma once

#include <string_view>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

/// e4m3fnuz on gfx942, which has only that one; e4m3 everywhere else.
inline DType fp8_of(std::string_view gfx) { return gfx == "gfx942" ? DType::e4m3fnuz : DType::e4m3; }

}  // namespace gemmtune
