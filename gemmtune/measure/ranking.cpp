#include "gemmtune/measure/ranking.h"

#include <algorithm>
#include <tuple>

#include "gemmtune/space/tie.h"

namespace gemmtune {
namespace {

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
  const auto& fastest = evaluations[order.front()].timing;
  const auto rest = std::stable_partition(order.begin(), order.end(),
                                          [&](std::size_t i) { return is_tied(fastest, evaluations[i].timing); });
  std::stable_sort(order.begin(), rest, by_tie_rule);
  ranking.tied.assign(order.begin(), rest);
  return ranking;
}

const char* tie_rule() { return "least memory, then least split_k, then name"; }

}  // namespace gemmtune
