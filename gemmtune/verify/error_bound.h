// How far from the reference rounding may bring an element of C. docs/verifying.md derives each term. Text that the
// run-time compilers of GPUs take as well.
#pragma once

#include <algorithm>
#include <cmath>

namespace gemmtune {

struct Problem;

/// What the bound is made of for one problem: plain numbers, so that a kernel on a device can be handed them.
///   eps·max(|ref|, smallest_normal) + per_norm·‖a‖·‖w‖ + min(|ref|, per_square·ref²/(‖a‖·‖w‖))
/// The first term is the rounding to the output type, be it to nearest or towards zero. The second is the accumulation:
/// K products added in float in any order, whose errors add up like √K, and where both sides are FP8 (or E2M1, which is
/// multiplied as FP8) the 13 bits that Hopper's tensor cores keep. The third is for what tensor cores multiply, FP8, 16
/// bits and TF32: what they cut off is cut towards zero, so that it adds up where the products have one sign.
struct ErrorBound {
  double eps{};              // of the output type: from 1 to the next number
  double smallest_normal{};  // below it numbers are eps times this apart
  double per_norm{};
  double per_square{};

  /// `norms` is ‖a‖·‖w‖ of the row and the column that meet in the element.
  double at(double reference, double norms) const {
    const double size = std::fabs(reference);
    const double one_sided = norms > 0 ? std::min(size, per_square * size * size / norms) : 0;
    return eps * std::max(size, smallest_normal) + per_norm * norms + one_sided;
  }
};

/// Throws Error{unsupported} for an output type that no kernel writes.
ErrorBound error_bound_of(const Problem& problem);

}  // namespace gemmtune
