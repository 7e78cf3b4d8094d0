// Who is fastest, and who cannot be told apart from the fastest.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct Ranking {
  std::vector<std::size_t> order{};  // indices of the ok and timed evaluations, winner first
  std::vector<std::size_t> tied{};   // the first of `order`: the fastest and those tied with it; one index is no tie
};

/// Who is tied with the fastest says space/tie.h.
///
/// Among the tied the one with the least workspace and packed bytes wins, then the least split_k, then the median; but
/// among those so close to that median that they are tied whatever their intervals, the first name. The rest follow by
/// median. The same every time, whatever order they came in.
Ranking rank(std::span<const Evaluation> evaluations);

}  // namespace gemmtune
