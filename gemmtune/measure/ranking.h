// Which candidate is the fastest, and which ones cannot be told apart from it.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct Ranking {
  std::vector<std::size_t> order{};  // indices of the evaluations that are ok and timed, the winner first
  std::vector<std::size_t> tied{};   // the start of `order`: the fastest and all tied with it; one index means no tie
};

/// space/tie.h defines ties.
///
/// Among tied candidates the one with the least memory (workspace and packed bytes) wins, then the least split_k, then
/// the least median. Candidates of equal memory and split_k whose medians are within the limit of a certain tie
/// (is_always_tied) are ordered by name. All other candidates follow by median. The order of the evaluations does not
/// matter.
Ranking rank(std::span<const Evaluation> evaluations);

}  // namespace gemmtune
