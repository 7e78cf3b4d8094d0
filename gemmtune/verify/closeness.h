// Decides whether an element of C is close enough to its reference, as arithmetic on two numbers. Host compilers and
// the run-time compilers of GPUs both take this text, so that both judge alike. verify/verifier.h says what the rules
// mean.
#pragma once

#include <cmath>
#include <limits>

#include "gemmtune/verify/error_bound.h"

namespace gemmtune {

/// How far an element is from what it should be. Infinite when it is wrong in kind: NaN, infinite or finite where it
/// may not be.
struct Distance {
  bool close{};
  double error{};
  double share_of_bound{};
};

struct ClosenessRules {
  ErrorBound bound{};
  double overflow{};  // from this value on, the output type's nearest number is infinity
  double atol{};
  double rtol{};

  /// The distance of what was found from what the sum `x` before the activation should give. `norms` as in
  /// ErrorBound.
  Distance distance(double x, double found, double norms) const {
    const double expected = bound.expected(x);
    if (std::isnan(expected)) return all_or_nothing(std::isnan(found) || (found == 0 && hides_nan()));
    if (std::isnan(found)) return all_or_nothing(false);
    if (std::isinf(x) || std::isinf(expected)) return all_or_nothing(found == expected);
    const double allowed = bound.at(x, norms);
    if (std::isinf(found)) return all_or_nothing(overflows_alike(expected, found, overflow - allowed));
    const double error = std::fabs(expected - found);
    return {error <= atol + rtol * std::fabs(found) + bound.folding(norms), error, error / allowed};
  }

 private:
  /// ReLU is max(x, 0), of which libraries make 0 where x is NaN. A kernel that reads NaN as a number is seen all the
  /// same, where the sum is positive then.
  bool hides_nan() const { return bound.activation == Activation::relu; }

  static Distance all_or_nothing(bool right) {
    const double error = right ? 0.0 : std::numeric_limits<double>::infinity();
    return {right, error, error};
  }

  /// Whether the reference rounds to the infinity that was found.
  static bool overflows_alike(double expected, double found, double threshold) {
    return std::signbit(expected) == std::signbit(found) && std::fabs(expected) >= threshold;
  }
};

}  // namespace gemmtune
