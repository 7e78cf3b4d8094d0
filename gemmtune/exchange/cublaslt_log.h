// The shapes in cuBLASLt's logs (CUBLASLT_LOG_LEVEL=2 and above), which have plain cuBLAS's products too:
//   [time][cublasLt][pid][Trace][cublasLtTSTMatmul] A=0X… Adesc=[type=R_16BF rows=2048 cols=1024 ld=2048] B=… Bdesc=[…]
//   C=… Cdesc=[…] D=… Ddesc=[…] computeDesc=[computeType=COMPUTE_32F scaleType=R_32F transa=OP_T] algo=[…] … beta=0 …
// Fields that are 0 or the default are left out.
#pragma once

#include <string>
#include <string_view>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// Whether a line is the log of a product that was run. Questions to the heuristic are none.
bool is_cublaslt_matmul_line(std::string_view line);

/// Throws Error{input} for a product that is not known here.
Problem cublaslt_log_problem(std::string_view line);

/// Other lines are passed over; weight: how many lines have the problem.
ShapeList cublaslt_log_shapes(std::string_view text, const std::string& source);

}  // namespace gemmtune
