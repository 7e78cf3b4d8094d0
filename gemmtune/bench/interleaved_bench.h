// Kernels of one shape measured together: verified as tuning verifies, timed in turns in one batch of a worker.
#pragma once

#include <optional>
#include <vector>

#include "gemmtune/bench/contender.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

struct BenchPlan {
  TunePlan tune{};                   // families, search and policies
  std::int64_t most_candidates{16};  // of a family, searched for its tuned choice; 0: none is searched for
  bool prove{};                      // all contenders withstand adversarial operands too, or have failed
};

/// Who takes longer than this many times the fastest, in two screenings, has the time of the better one: timing it in
/// turn with the others would take most of the time, to no end.
inline constexpr double far_behind = 10;

/// The problem's contenders with what came of them; who has no candidate is unsupported, for the reason it gives. Equal
/// candidates are measured once. Nothing when the evaluator was interrupted.
std::optional<ShapeBench> measure_interleaved(Evaluator& evaluator, const Problem& problem,
                                              const std::vector<Contender>& contenders, const BenchPlan& plan);

/// The search of `gemmtune tune` over these candidates: the winner is confirmed and proved. Nothing when the evaluator
/// was interrupted. There must be a candidate.
std::optional<ShapeResult> search_best(Evaluator& evaluator, const Problem& problem,
                                       const std::vector<Candidate>& candidates, const TunePlan& plan);

}  // namespace gemmtune
