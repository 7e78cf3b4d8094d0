// Decides whether an output is right. A candidate must pass four checks:
//   - no element still holds the poison with which C was filled;
//   - AITER's error ratio is within its limit;
//   - no element is further from the reference than a bound that follows from the format and K;
//   - the guards around every buffer are intact (verify/guard.h; the caller checks them).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/closeness.h"
#include "gemmtune/verify/poison.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {

struct Verdict {
  Accuracy accuracy{};
  std::string why_wrong{};  // "" when right; else the first bad element, how many there are, in which rows and columns
};

/// Largest |ref - out| that rounding explains for an element whose sum before the activation is `x`
/// (verify/error_bound.h).
double error_bound(const Problem& problem, double x, double row_norm, double column_norm);

/// The rules by which elements of this problem are judged.
ClosenessRules closeness_rules(const Problem& problem, const VerifyPolicy& policy);

/// Fills C.
void poison(std::span<std::byte> c, Poison with = {});

/// Compares the whole C, which has no gaps, with the reference's rows. Unwritten elements are counted in all rows.
/// Where the reference is NaN, only NaN is right. Where the reference rounds to infinity in the output's type, that
/// infinity is right. An element that is wrong in kind (NaN, infinite, or finite where it may not be) is infinitely
/// far from its reference. `poison` is what C was filled with before the launch.
Verdict compare(const Problem& problem, const Reference& reference, std::span<const std::byte> c,
                const VerifyPolicy& policy, Poison poison = {});

/// The same when all elements are known to be written. `rows` holds only the rows of C that the reference has, in
/// order, batch by batch. Throws Error{usage} if the number of rows differs.
Verdict compare_checked_rows(const Problem& problem, const Reference& reference, std::span<const std::byte> rows,
                             const VerifyPolicy& policy, Poison poison = {});

}  // namespace gemmtune
