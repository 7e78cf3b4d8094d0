// A check over all rows of C for problems with an activation, of which sums say nothing (verify/row_sums.h): beside
// some rows of C, some columns of each stripe of 32 are compared with a reference, from the first row to the last.
#pragma once

#include <cstdint>
#include <span>

#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/reference.h"
#include "gemmtune/verify/row_sums.h"

namespace gemmtune {

/// A reference whose rows are columns of C: values are [batch][columns][M], `column_norms` those of A's rows.
/// From inputs in host memory, without gaps and in the default order.
Reference compute_columns(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                          std::uint64_t seed);

/// C has no gaps.
SumVerdict compare_columns(const Problem& problem, const Reference& columns, std::span<const std::byte> c,
                           const VerifyPolicy& policy);

}  // namespace gemmtune
