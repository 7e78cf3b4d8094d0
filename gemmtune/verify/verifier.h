// Is an output right? Four judges, and a candidate must pass all of them:
//   - no element still holds the poison that C was filled with;
//   - AITER's error ratio is within its limit;
//   - no element is further from the reference than a bound from the format and K allows;
//   - the guard words around every buffer are intact (verify/guard.h; the caller tells).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/closeness.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {

struct Verdict {
  Accuracy accuracy{};
  std::string why_wrong{};  // "" when right; else the first bad element, how many, which rows and columns
};

/// Largest |ref - out| that rounding explains for an element whose sum before the activation is `x`
/// (verify/error_bound.h).
double error_bound(const Problem& problem, double x, double row_norm, double column_norm);

/// The rules by which elements of this problem are judged.
ClosenessRules closeness_rules(const Problem& problem, const VerifyPolicy& policy);

/// Fills C with poison_pattern.
void poison(std::span<std::byte> c);

/// Compares the whole C, which has no gaps, with the reference's rows; unwritten elements are counted in all rows.
/// Where the reference is NaN, NaN is right and nothing else is; where it rounds to infinity in the output's type, that
/// infinity is. An element that is wrong in kind (NaN, infinity, or finite where it may not be) is infinitely far from
/// its reference.
Verdict compare(const Problem& problem, const Reference& reference, std::span<const std::byte> c,
                const VerifyPolicy& policy);

/// The same where all elements are known to be written, for `rows`: of C only those rows that the reference has, one
/// after the other, those of each batch together. Throws Error{usage} when these are not as many.
Verdict compare_checked_rows(const Problem& problem, const Reference& reference, std::span<const std::byte> rows,
                             const VerifyPolicy& policy);

}  // namespace gemmtune
