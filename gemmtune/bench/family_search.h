// The best candidate of each family, searched for in a few batches of all families together: a benchmark of many
// families over many shapes has no time for a search of each.
//
// Not: a search that states its regret, as tuning makes it (interleaved_bench.h, search_best).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// A family's best candidate that is right, or why there is none.
struct FamilyBest {
  Candidate candidate{};
  std::string why_none{};
};

/// Screens all candidates, times the best three of each family in turns in one batch, and proves the fastest of each,
/// and the next fastest if that fails. Empty if the evaluator was interrupted.
std::optional<std::map<std::string, FamilyBest>> search_together(Evaluator& evaluator, const Problem& problem,
                                                                 const std::vector<Candidate>& candidates,
                                                                 const TunePlan& plan);

}  // namespace gemmtune
