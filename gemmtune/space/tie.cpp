#include "gemmtune/space/tie.h"

namespace gemmtune {
namespace {

constexpr double always_tied = 1.005;
constexpr double never_tied = 1.02;

}  // namespace

bool is_tied(const Timing& fastest, const Timing& other) {
  const double ratio = other.median_us / fastest.median_us;
  if (ratio <= always_tied || ratio > never_tied) return ratio <= always_tied;
  return other.low_us <= fastest.high_us && fastest.low_us <= other.high_us;
}

}  // namespace gemmtune
