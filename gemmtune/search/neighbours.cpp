#include "gemmtune/search/neighbours.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gemmtune {
namespace {

constexpr std::size_t nearest_few = 3;

/// Shapes farther away than this, a factor of 64 in all, tell nothing.
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

void Hearsay::add(const CandidateKey& candidate, double log_time, double weight) {
  auto& mean = means_[candidate];
  mean.weight += weight;
  mean.value += (log_time - mean.value) * weight / mean.weight;
}

const double* Hearsay::find(const Candidate& candidate) const {
  const auto at = means_.find({candidate.family, candidate.name});
  return at == means_.end() ? nullptr : &at->second.value;
}

void Neighbours::add(const Problem& problem, const TimedCandidate& candidate) {
  if (!(candidate.time_us > 0)) return;
  const std::scoped_lock lock(mutex_);
  times_us_[problem][{candidate.family, candidate.name}] = candidate.time_us;
}

Hearsay Neighbours::about(const Problem& problem) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<double, const std::map<CandidateKey, double>*>> near;
  for (const auto& [other, times_us] : times_us_)
    if (other != problem && same_kind(other, problem) && distance(other, problem) <= farthest)
      near.emplace_back(distance(other, problem), &times_us);
  std::ranges::stable_sort(near, {}, [](const auto& one) { return one.first; });
  near.resize(std::min(near.size(), nearest_few));
  Hearsay hearsay;
  for (const auto& [far, times_us] : near) {
    const double best_us = std::ranges::min_element(*times_us, {}, [](const auto& one) { return one.second; })->second;
    for (const auto& [candidate, time_us] : *times_us)
      hearsay.add(candidate, std::log(time_us / best_us), 1 / (0.5 + far));
  }
  return hearsay;
}

}  // namespace gemmtune
