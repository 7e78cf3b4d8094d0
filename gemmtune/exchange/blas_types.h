// The types' names in the files of rocBLAS and hipBLASLt: bf16_r, f8_r, …
#pragma once

#include <optional>
#include <string_view>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

std::optional<DType> parse_blas_type(std::string_view text);

/// "" if the libraries have no such type. TF32 is f32_r: there it is a way of computing.
std::string_view blas_type_name(DType type);

}  // namespace gemmtune
