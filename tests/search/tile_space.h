// An invented space of tiled kernels whose times follow from their parameters, as real ones' do more or less.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "gemmtune/core/text.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

inline std::vector<Candidate> tile_candidates() {
  std::vector<Candidate> candidates;
  for (const int m : {64, 128, 256})
    for (const int n : {64, 128, 192, 256})
      for (const int stages : {2, 3, 4, 6})
        for (const int group : {1, 4, 8, 16})
          candidates.push_back({.family = "tile",
                                .name = fmt::format("tile_{}x{}_s{}_g{}", m, n, stages, group),
                                .params = {{"m", fmt::to_string(m)},
                                           {"n", fmt::to_string(n)},
                                           {"s", fmt::to_string(stages)},
                                           {"g", fmt::to_string(group)}}});
  return candidates;
}

/// Best at 128x192, 4 stages, groups of 8.
inline double tile_time_us(const Candidate& candidate) {
  const auto off = [&](std::size_t param, double best) {
    return std::abs(std::log2(*parse_double(candidate.params[param].value) / best));
  };
  return 100 * std::exp(0.3 * off(0, 128) + 0.2 * off(1, 192) + 0.1 * off(2, 4) + 0.04 * off(3, 8));
}

}  // namespace gemmtune
