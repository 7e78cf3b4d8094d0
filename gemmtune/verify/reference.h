// What the output should be: computed in double from the stored (quantised) operands, once for each problem and recipe.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// Rows of C that are checked (the same in each batch), what they should hold, and the norms that the error bound
/// needs.
struct Reference {
  std::vector<std::int64_t> rows{};  // ascending indices into M
  std::vector<double> values{};  // [batch][rows][N]: A·Wᵀ + bias + residual, before the activation and any rounding
  std::vector<double> row_norms{};     // [batch][rows]: ‖A[b,m,:]‖₂
  std::vector<double> column_norms{};  // [batch][N]: ‖W[b,n,:]‖₂
};

/// All rows when the product costs at most policy.full_reference_flops; otherwise from each stripe of 32 rows as many
/// as that affords, at least two: the stripe's last row and others drawn from `seed`; the last row of C always.
std::vector<std::int64_t> rows_to_check(const Problem& problem, const VerifyPolicy& policy, std::uint64_t seed);

/// From inputs in host memory, of a problem whose tensors have no gaps and the default order (examiners see to the
/// others: verify/layout_examiner.h).
Reference compute_reference(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                            std::uint64_t seed);
Reference compute_reference(const Problem& problem, const HostOperands& operands, const VerifyPolicy& policy,
                            std::uint64_t seed);

}  // namespace gemmtune
