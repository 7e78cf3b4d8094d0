// What the output should be: computed in double from the stored (quantised) operands, once for each problem and recipe.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// The rows of C that are checked (the same in each batch), what they should hold, and the norms for the error bound.
struct Reference {
  std::vector<std::int64_t> rows{};  // ascending indices into M
  std::vector<double> values{};  // [batch][rows][N]: A·Wᵀ + bias + residual, before the activation and any rounding
  std::vector<double> row_norms{};     // [batch][rows]: ‖A[b,m,:]‖₂
  std::vector<double> column_norms{};  // [batch][N]: ‖W[b,n,:]‖₂
};

/// All rows if the product costs at most policy.full_reference_flops. Otherwise as many rows of each stripe of 32 as
/// that affords, at least two: the stripe's last row and others drawn from `seed`. The last row of C is always
/// included.
std::vector<std::int64_t> rows_to_check(const Problem& problem, const VerifyPolicy& policy, std::uint64_t seed);

/// From inputs in host memory, for a problem whose tensors have no gaps and the default order. Examiners handle other
/// layouts (verify/layout_examiner.h).
Reference compute_reference(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                            std::uint64_t seed);
Reference compute_reference(const Problem& problem, const HostOperands& operands, const VerifyPolicy& policy,
                            std::uint64_t seed);

}  // namespace gemmtune
