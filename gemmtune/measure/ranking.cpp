#include "gemmtune/measure/ranking.h"

#include <algorithm>
#include <tuple>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

constexpr double always_tied = 1.005;
constexpr double never_tied = 1.02;

std::vector<std::size_t> timed(std::span<const Evaluation> evaluations) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    if (evaluations[i].outcome == Outcome::ok && evaluations[i].timing.median_us > 0) indices.push_back(i);
  return indices;
}

auto tie_key(const Evaluation& e) {
  return std::make_tuple(e.timing.workspace_bytes + e.timing.packed_bytes, e.candidate.split_k, e.candidate.name,
                         e.candidate.family, e.timing.median_us);
}

bool tied_with(const Evaluation& e, const Evaluation& fastest) {
  const double ratio = e.timing.median_us / fastest.timing.median_us;
  if (ratio <= always_tied || ratio > never_tied) return ratio <= always_tied;
  const Interval ours{.low = e.timing.low_us, .high = e.timing.high_us};
  return ours.overlaps({.low = fastest.timing.low_us, .high = fastest.timing.high_us});
}

}  // namespace

Ranking rank(std::span<const Evaluation> evaluations) {
  Ranking ranking{.order = timed(evaluations)};
  auto& order = ranking.order;
  if (order.empty()) return ranking;
  const auto by_tie_rule = [&](std::size_t a, std::size_t b) {
    return tie_key(evaluations[a]) < tie_key(evaluations[b]);
  };
  const auto by_median = [&](std::size_t a, std::size_t b) {
    const double left = evaluations[a].timing.median_us;
    const double right = evaluations[b].timing.median_us;
    return left != right ? left < right : by_tie_rule(a, b);
  };
  std::stable_sort(order.begin(), order.end(), by_median);
  const auto& fastest = evaluations[order.front()];
  const auto rest = std::stable_partition(order.begin(), order.end(),
                                          [&](std::size_t i) { return tied_with(evaluations[i], fastest); });
  std::stable_sort(order.begin(), rest, by_tie_rule);
  ranking.tied.assign(order.begin(), rest);
  return ranking;
}

const char* tie_rule() { return "least memory, then least split_k, then name"; }

}  // namespace gemmtune
