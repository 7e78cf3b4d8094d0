// The shapes in hipBLASLt's logs: the replayable lines that it writes with HIPBLASLT_LOG_MASK=32,
//   hipblaslt-bench --api_method c -m 256 -n 37 -k 7168 --lda 7168 … --transA T --transB N … --a_type bf16_r …
#pragma once

#include <string>
#include <string_view>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

bool is_hipblaslt_bench_line(std::string_view line);

/// The problem of one line. Throws Error{input} for what is not one product, and for what is not known here.
Problem hipblaslt_bench_problem(std::string_view line);

/// Other lines are passed over; weight: how many lines have the problem.
ShapeList hipblaslt_bench_shapes(std::string_view text, const std::string& source);

}  // namespace gemmtune
