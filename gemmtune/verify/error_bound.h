// How far rounding may move an element of C from the reference. docs/verifying.md derives each term. The run-time
// compilers of GPUs take this text too.
#pragma once

#include <algorithm>
#include <cmath>

#include "gemmtune/gemm/activation.h"

namespace gemmtune {

struct Problem;

/// The parts of the bound for one problem, as plain numbers that can be handed to a kernel on a device:
///   eps·max(|C|, smallest_normal) + per_argument·|x| + slope·sum
///   sum = (per_norm + per_folding)·‖a‖·‖w‖ + per_sum·|x| + min(|x|, per_square·x²/(‖a‖·‖w‖))
/// where x is the sum before the activation, and C is the activation of x.
/// - The first term is the rounding to the output type, to nearest or towards zero.
/// - per_norm and per_sum are the accumulation: K products added in float in any order. Where a side is f32, or A is
/// quantised to int8 in blocks of 32, the errors of a random walk are per_norm and those of a sum that grows all the
/// way are per_sum. Elsewhere per_norm alone allows for both. Where both sides are FP8 (or E2M1, which is multiplied as
/// FP8), per_norm includes the 13 bits that Hopper's tensor cores keep.
/// - per_square is for operands that tensor cores multiply: FP8, 16 bits and TF32. Tensor cores truncate towards
/// zero, so the losses add up where the products have one sign.
/// - per_folding, which comes to per_norm, is what folding of MXFP8 may change. It does not count in the error ratio.
/// - An activation enlarges errors of x by its steepest slope at most. per_argument is the error of its own
/// arithmetic.
struct ErrorBound {
  double eps{};              // of the output type: from 1 to the next number
  double smallest_normal{};  // below it, numbers are eps times this apart
  double per_norm{};
  double per_sum{};
  double per_square{};
  double per_folding{};
  double slope{1};
  double per_argument{};
  Activation activation{Activation::none};

  /// What C should be for the sum `x`.
  double expected(double x) const { return activate(activation, x); }

  /// The part of the bound that is folding's.
  double folding(double norms) const { return per_folding == 0 ? 0 : slope * per_folding * norms; }

  /// `x` is the sum before the activation. `norms` is ‖a‖·‖w‖ of the row and the column that meet in the element.
  double at(double x, double norms) const {
    const double size = std::fabs(x);
    const double one_sided = norms > 0 ? std::min(size, per_square * size * size / norms) : 0;
    return eps * std::max(std::fabs(expected(x)), smallest_normal) +
           slope * ((per_norm + per_folding) * norms + per_sum * size + one_sided) + per_argument * size;
  }
};

/// Throws Error{unsupported} for an output type that no kernel writes.
ErrorBound error_bound_of(const Problem& problem);

}  // namespace gemmtune
