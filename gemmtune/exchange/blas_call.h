// One product as BLAS libraries get it, and so as their logs and the files of their users say it: column-major. BLAS's
// first size is our N, its second our M; its A is our weights, its B our activations.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct BlasCall {
  bool transpose_a{};
  bool transpose_b{};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t batch{1};
  std::int64_t lda{};  // leading dimensions and strides in elements; 0: without gaps
  std::int64_t ldb{};
  std::int64_t ldc{};
  std::int64_t stride_a{};
  std::int64_t stride_b{};
  std::int64_t stride_c{};
  Side a{};
  Side b{};
  DType out{DType::bf16};
  Epilogue epilogue{};

  auto operator<=>(const BlasCall&) const = default;
};

/// Throws Error{input} with the reason if this is no product that can be computed.
Problem problem_of(const BlasCall& call);

/// All distances are stated. The inverse of problem_of() for problems without packed weights.
BlasCall blas_call_of(const Problem& problem);

}  // namespace gemmtune
