// How far from the reference rounding may bring an element of C. docs/verifying.md derives each term. Text that the
// run-time compilers of GPUs take as well.
#pragma once

#include <algorithm>
#include <cmath>

#include "gemmtune/gemm/activation.h"

namespace gemmtune {

struct Problem;

/// What the bound is made of for one problem: plain numbers, so that a kernel on a device can be handed them.
///   eps·max(|C|, smallest_normal) + slope·(per_norm·‖a‖·‖w‖ + min(|x|, per_square·x²/(‖a‖·‖w‖))) + per_argument·|x|
/// where x is the sum before the activation and C the activation of it. The first term is the rounding to the output
/// type, be it to nearest or towards zero. The second is the accumulation: K products added in float in any order,
/// whose errors add up like √K, and where both sides are FP8 (or E2M1, which is multiplied as FP8) the 13 bits that
/// Hopper's tensor cores keep. The third is for what tensor cores multiply, FP8, 16 bits and TF32: what they cut off is
/// cut towards zero, so that it adds up where the products have one sign. An activation enlarges errors of x by its
/// steepest slope at most; the last term is the error of the activation's own arithmetic.
struct ErrorBound {
  double eps{};              // of the output type: from 1 to the next number
  double smallest_normal{};  // below it numbers are eps times this apart
  double per_norm{};
  double per_square{};
  double slope{1};
  double per_argument{};
  Activation activation{Activation::none};

  /// What C should be for the sum `x`.
  double expected(double x) const { return activate(activation, x); }

  /// `x` is the sum before the activation, `norms` is ‖a‖·‖w‖ of the row and the column that meet in the element.
  double at(double x, double norms) const {
    const double size = std::fabs(x);
    const double one_sided = norms > 0 ? std::min(size, per_square * size * size / norms) : 0;
    return eps * std::max(std::fabs(expected(x)), smallest_normal) + slope * (per_norm * norms + one_sided) +
           per_argument * size;
  }
};

/// Throws Error{unsupported} for an output type that no kernel writes.
ErrorBound error_bound_of(const Problem& problem);

}  // namespace gemmtune
