// The shapes of `gemmtune bench all`: those by which libraries of GEMM kernels are compared with each other.
#pragma once

#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Fifteen large products, of which AITER's guide to FP4 gives times on AMD's GPUs, and then 1, 16, 64 and 128 tokens
/// through layers of large models. The examples' lists h100-large and h100-decode have the same.
std::vector<Problem> benchmark_shapes(Format format);

}  // namespace gemmtune
