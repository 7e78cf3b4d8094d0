// When an element of C is close enough to its reference, as arithmetic on two numbers: text that host compilers and the
// run-time compilers of GPUs both take, so that both judge alike. What it means stands in verify/verifier.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "gemmtune/verify/error_bound.h"

namespace gemmtune {

/// What C is filled with before a launch, in each 16 bits: a NaN in every output type that no arithmetic makes.
inline constexpr std::uint16_t poison_pattern = 0xfff5;

template <typename Bits>
constexpr bool holds_poison(Bits stored) {
  return stored == static_cast<Bits>(poison_pattern * 0x10001U);
}

/// One element's distance from what it should be; infinite when it is wrong in kind.
struct Distance {
  bool close{};
  double error{};
  double share_of_bound{};
};

struct ClosenessRules {
  ErrorBound bound{};
  double overflow{};  // from here on the output type's nearest number is infinity
  double atol{};
  double rtol{};

  /// Of what was found from what the sum `x` before the activation should give. `norms` as in ErrorBound.
  Distance distance(double x, double found, double norms) const {
    const double expected = bound.expected(x);
    if (std::isnan(expected) || std::isnan(found)) return all_or_nothing(std::isnan(expected) && std::isnan(found));
    const double allowed = bound.at(x, norms);
    if (std::isinf(found)) return all_or_nothing(overflows_alike(expected, found, overflow - allowed));
    if (std::isinf(expected)) return all_or_nothing(false);
    const double error = std::fabs(expected - found);
    return {error <= atol + rtol * std::fabs(found), error, error / allowed};
  }

 private:
  static Distance all_or_nothing(bool right) {
    const double error = right ? 0.0 : std::numeric_limits<double>::infinity();
    return {right, error, error};
  }

  /// Whether the output `found`, which is infinite, is what the reference rounds to.
  static bool overflows_alike(double expected, double found, double threshold) {
    return std::signbit(expected) == std::signbit(found) && std::fabs(expected) >= threshold;
  }
};

}  // namespace gemmtune
