// The shapes in PyTorch's TunableOp files: those that it records (PYTORCH_TUNABLEOP_RECORD_UNTUNED) and those that it
// tuned. Their lines are CSV without a header: the operation, its sizes, and, where it was tuned, a solution and a
// time. Not: the solutions, which are cuBLASLt's or hipBLASLt's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// Whether a line is an operation or a validator of such a file.
bool is_tunable_op_line(std::string_view line);

/// The problem of "GemmTunableOp_BFloat16_TN,tn_256_37_7168_ld_7168_7168_256". BLAS is column-major: its first size is
/// our N, its second our M, its A our weights. Throws Error{input} that says what was found.
Problem tunable_op_problem(std::string_view line);

/// Each problem once; weight: how many lines have it. Validators are passed over.
ShapeList read_tunable_op(std::string_view text, const std::string& source);

}  // namespace gemmtune
