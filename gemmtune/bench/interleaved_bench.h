// Measures kernels of one shape together: verified as in tuning, and timed in turns in one batch of a worker.
#pragma once

#include <optional>
#include <vector>

#include "gemmtune/bench/contender.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

struct BenchPlan {
  TunePlan tune{};                   // families, search and policies
  std::int64_t most_candidates{16};  // of a family, among which its tuned choice is searched; 0: no search
  bool together{};                   // search all families at once (family_search.h), not each with `tune.search`
  bool prove{};                      // all contenders must pass adversarial operands too
};

/// A contender that takes more than this many times the fastest time in two screenings keeps the better of its two
/// times. Timing it in turn with the others would take most of the run and change nothing.
inline constexpr double far_behind = 10;

/// The problem's contenders with their results. A contender without a candidate is unsupported, for the reason that
/// it gives. Equal candidates are measured once. Empty if the evaluator was interrupted.
std::optional<ShapeBench> measure_interleaved(Evaluator& evaluator, const Problem& problem,
                                              const std::vector<Contender>& contenders, const BenchPlan& plan);

/// Searches these candidates as `gemmtune tune` does: the winner is confirmed and proved. There must be at least one
/// candidate. Empty if the evaluator was interrupted.
std::optional<ShapeResult> search_best(Evaluator& evaluator, const Problem& problem,
                                       const std::vector<Candidate>& candidates, const TunePlan& plan);

}  // namespace gemmtune
