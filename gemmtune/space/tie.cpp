#include "gemmtune/space/tie.h"

namespace gemmtune {
namespace {

constexpr double always_tied = 1.005;
constexpr double never_tied = 1.02;

}  // namespace

bool is_always_tied(const Timing& fastest, const Timing& other) {
  return other.median_us / fastest.median_us <= always_tied;
}

bool is_tied(const Timing& fastest, const Timing& other) {
  if (is_always_tied(fastest, other)) return true;
  if (other.median_us / fastest.median_us > never_tied) return false;
  return other.low_us <= fastest.high_us && fastest.low_us <= other.high_us;
}

}  // namespace gemmtune
