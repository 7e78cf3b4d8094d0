// A small choice of a space's points that still has every pair of values: for tests in which each point takes seconds.
// A fault that needs three particular values together can be missed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "gemmtune/space/space.h"

namespace gemmtune {

/// Two values, each with the number of its axis.
using ValuePair = std::tuple<std::size_t, std::int64_t, std::size_t, std::int64_t>;

inline std::set<ValuePair> value_pairs(const Point& point) {
  std::set<ValuePair> pairs;
  const auto values = point.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) pairs.emplace(i, values[i], j, values[j]);
  return pairs;
}

/// Some of `points`. Each pair of values that is in one of `points` is in one of them. Takes the point with the most
/// missing pairs first.
inline std::vector<Point> covering_pairs(const std::vector<Point>& points) {
  std::set<ValuePair> missing;
  for (const auto& point : points) missing.merge(value_pairs(point));
  const auto gain = [&](const Point& point) {
    return std::ranges::count_if(value_pairs(point), [&](const auto& pair) { return missing.contains(pair); });
  };
  std::vector<Point> chosen;
  while (!missing.empty()) {
    chosen.push_back(*std::ranges::max_element(points, {}, gain));
    for (const auto& pair : value_pairs(chosen.back())) missing.erase(pair);
  }
  return chosen;
}

}  // namespace gemmtune
