#include "gemmtune/shapes/capture_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {
namespace {

constexpr std::array<double, match_kind_count> shares{0, 0.05, 0.15, 0.2, 0.5};  // in the order of MatchKind

/// The time that tuning saves for a call whose kernel a rule chose and whose time was never measured. A tuned kernel
/// would take `tuned_us`.
double saved_against_a_rule(double tuned_us) {
  const auto share = share_saved(MatchKind::fallback);
  return tuned_us * share / (1 - share);
}

/// Estimates are rounded to nanoseconds.
double to_nanoseconds(double us) { return std::round(us * 1000) / 1000; }

}  // namespace

double share_saved(MatchKind match) { return shares[static_cast<std::size_t>(match)]; }

double saved_us(const CapturedProblem& captured, const TunedTimes& times) {
  const TunedDevice device{captured.gfx, captured.cu_num};
  if (times.exact(device, captured.problem)) return 0;
  const bool exact = captured.match == MatchKind::exact;
  if (exact && times.empty()) return 0;
  const auto neighbours = times.between_neighbours(device, captured.problem);
  if (exact || captured.expected_us <= 0)
    return saved_against_a_rule(neighbours.value_or(rough_time_us(captured.problem)));
  if (neighbours) return std::max(0.0, captured.expected_us - *neighbours);
  return captured.expected_us * share_saved(captured.match);
}

CaptureShapes capture_shapes(std::span<const CapturedProblem> captured, const TunedTimes& times) {
  CaptureShapes made;
  std::vector<Shape> shapes;
  for (const auto& row : captured) {
    made.calls += row.calls;
    const auto weight = to_nanoseconds(static_cast<double>(row.calls) * saved_us(row, times));
    if (weight > 0) {
      shapes.push_back({.problem = row.problem, .weight = weight});
      continue;
    }
    ++made.settled;
    made.settled_calls += row.calls;
  }
  made.shapes = without_duplicates(shapes);
  std::ranges::stable_sort(made.shapes, std::greater{}, &Shape::weight);
  return made;
}

}  // namespace gemmtune
