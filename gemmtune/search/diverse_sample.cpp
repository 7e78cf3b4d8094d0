#include "gemmtune/search/diverse_sample.h"

#include <algorithm>
#include <limits>
#include <string>

#include "gemmtune/search/parameter_distances.h"

namespace gemmtune {
namespace {

using Indices = std::vector<std::size_t>;

/// In the order in which the families first appear.
std::vector<Indices> by_family(std::span<const Candidate> candidates) {
  std::vector<Indices> families;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto is_same = [&](const Indices& family) {
      return candidates[family.front()].family == candidates[i].family;
    };
    const auto at = std::ranges::find_if(families, is_same);
    if (at == families.end())
      families.push_back({i});
    else
      at->push_back(i);
  }
  return families;
}

constexpr double no_relation = 1e6;

}  // namespace

Indices first_of_each_family(std::span<const Candidate> candidates, std::size_t count) {
  const auto families = by_family(candidates);
  Indices chosen;
  count = std::min(count, candidates.size());
  for (std::size_t place = 0; chosen.size() < count; ++place)
    for (const auto& family : families)
      if (place < family.size() && chosen.size() < count) chosen.push_back(family[place]);
  return chosen;
}

Indices most_diverse(std::span<const Candidate> candidates, Indices chosen, std::size_t count) {
  std::vector<double> nearest(candidates.size(), 2 * no_relation);
  const ParameterDistances distances(candidates);
  const auto unlikeness = [&](std::size_t a, std::size_t b) {
    return candidates[a].family == candidates[b].family ? distances.between(a, b) : no_relation;
  };
  const auto note = [&](std::size_t one) {
    for (std::size_t i = 0; i < candidates.size(); ++i) nearest[i] = std::min(nearest[i], unlikeness(i, one));
    nearest[one] = -1;
  };
  for (const auto one : chosen) note(one);
  count = std::min(count, candidates.size());
  while (chosen.size() < count) {
    const auto at = std::ranges::max_element(nearest);
    chosen.push_back(static_cast<std::size_t>(at - nearest.begin()));
    note(chosen.back());
  }
  return chosen;
}

}  // namespace gemmtune
