#include "gemmtune/measure/ranking.h"

#include <algorithm>
#include <tuple>

#include "gemmtune/space/tie.h"

namespace gemmtune {
namespace {

using Indices = std::vector<std::size_t>;

Indices timed(std::span<const Evaluation> evaluations) {
  Indices indices;
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    if (evaluations[i].outcome == Outcome::ok && evaluations[i].timing.median_us > 0) indices.push_back(i);
  return indices;
}

auto means(const Evaluation& e) { return std::pair(memory_bytes(e.timing), e.candidate.split_k); }

auto name(const Evaluation& e) { return std::tie(e.candidate.name, e.candidate.family); }

bool is_faster(const Evaluation& a, const Evaluation& b) {
  return std::tuple(a.timing.median_us, means(a), name(a)) < std::tuple(b.timing.median_us, means(b), name(b));
}

bool comes_first_of_tied(const Evaluation& a, const Evaluation& b) {
  return std::tuple(means(a), a.timing.median_us, name(a)) < std::tuple(means(b), b.timing.median_us, name(b));
}

void order_tied(std::span<const Evaluation> evaluations, std::span<std::size_t> tied) {
  std::ranges::stable_sort(tied, [&](auto a, auto b) { return comes_first_of_tied(evaluations[a], evaluations[b]); });
  const auto& first = evaluations[tied.front()];
  const auto others = std::ranges::find_if_not(tied, [&](std::size_t i) {
    return means(evaluations[i]) == means(first) && is_always_tied(first.timing, evaluations[i].timing);
  });
  std::stable_sort(tied.begin(), others, [&](auto a, auto b) { return name(evaluations[a]) < name(evaluations[b]); });
}

}  // namespace

Ranking rank(std::span<const Evaluation> evaluations) {
  Indices order = timed(evaluations);
  if (order.empty()) return {};
  std::ranges::stable_sort(order, [&](auto a, auto b) { return is_faster(evaluations[a], evaluations[b]); });
  const auto& fastest = evaluations[order.front()].timing;
  const auto rest = std::stable_partition(order.begin(), order.end(),
                                          [&](std::size_t i) { return is_tied(fastest, evaluations[i].timing); });
  order_tied(evaluations, {order.begin(), rest});
  return {.order = order, .tied = {order.begin(), rest}};
}

}  // namespace gemmtune
