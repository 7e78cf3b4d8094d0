#include "gemmtune/search/neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gemmtune {
namespace {

constexpr std::size_t nearest_few = 3;

/// Farther than this (a factor of 64 in all, say) a shape is another world.
constexpr double farthest = 6;

bool same_kind(Problem a, const Problem& b) {
  a.m = b.m;
  a.n = b.n;
  a.k = b.k;
  a.batch = b.batch;
  return a == b;
}

double octaves(std::int64_t a, std::int64_t b) {
  return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

double distance(const Problem& a, const Problem& b) {
  return octaves(a.m, b.m) + octaves(a.n, b.n) + octaves(a.k, b.k) + octaves(a.batch, b.batch);
}

}  // namespace

void Hearsay::add(const TimedCandidate& candidate, double log_time, double weight) {
  auto& mean = sums_[{candidate.family, candidate.name}];
  mean.weight += weight;
  mean.value += (log_time - mean.value) * weight / mean.weight;
}

const double* Hearsay::find(const Candidate& candidate) const {
  const auto at = sums_.find({candidate.family, candidate.name});
  return at == sums_.end() ? nullptr : &at->second.value;
}

void Neighbours::add(const Problem& problem, std::vector<TimedCandidate> candidates) {
  std::erase_if(candidates, [](const TimedCandidate& candidate) { return !(candidate.time_us > 0); });
  if (candidates.empty()) return;
  const std::scoped_lock lock(mutex_);
  shapes_[problem] = std::move(candidates);
}

Hearsay Neighbours::about(const Problem& problem) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<double, const std::vector<TimedCandidate>*>> near;
  for (const auto& [other, candidates] : shapes_)
    if (other != problem && same_kind(other, problem) && distance(other, problem) <= farthest)
      near.emplace_back(distance(other, problem), &candidates);
  std::ranges::stable_sort(near, {}, [](const auto& one) { return one.first; });
  near.resize(std::min(near.size(), nearest_few));
  Hearsay hearsay;
  for (const auto& [far, candidates] : near) {
    const double best = std::ranges::min(*candidates, {}, &TimedCandidate::time_us).time_us;
    for (const auto& candidate : *candidates)
      hearsay.add(candidate, std::log(candidate.time_us / best), 1 / (0.5 + far));
  }
  return hearsay;
}

}  // namespace gemmtune
