// One shape on one worker: from the question which candidates there are to the verdict.
#pragma once

#include <exception>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/search/strategy.h"
#include "gemmtune/tune/evidence.h"
#include "gemmtune/tune/journal.h"
#include "gemmtune/tune/limits.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// What a run's shapes share.
struct RunParts {
  const TunePlan& plan;
  Journal& journal;
  Limits& limits;
  Neighbours& neighbours;
};

/// Finalists are interleaved. Of others so many are handed over that the worker never waits for the next while this
/// one's trial is written down; once a limit is reached the watchdog ends them all the same.
inline constexpr std::size_t handed_over = 8;

/// How the candidates of a batch are evaluated under a plan.
EvaluationPolicy policy_of(const TunePlan& plan, const Batch& batch);

/// Whether an evaluator that throws this is of no use for other shapes either.
bool ends_worker(const std::exception& error);

class ShapeRun {
 public:
  ShapeRun(RunParts run, const Shape& shape, Evaluator& evaluator);

  /// Ends early, with what there is, once a limit is reached or something fails in the middle. Throws what ends a
  /// worker, and whatever the evaluator throws before there are candidates.
  ShapeResult result();

 private:
  class Recorder;

  ShapeResult without_wall_time();
  std::vector<Candidate> candidates();
  bool search(Strategy& strategy);
  Batch ask(Strategy& strategy);
  bool evaluate(const Batch& batch, Strategy& strategy);
  bool evaluate_together(std::span<const Candidate> candidates, Strategy& strategy);
  void settle_new(const Evaluation& evaluation, Strategy& strategy);
  void settle_known(const Evaluation& evaluation, Strategy& strategy);
  void settle(const Evaluation& evaluation, Strategy& strategy, const TrialContext& context);
  TrialContext context_of(const Candidate& candidate) const;

  RunParts run_;
  const Shape& shape_;
  Evaluator& evaluator_;
  DeviceInfo device_;
  std::map<std::string, std::string> versions_;  // of the families
  EvaluationPolicy policy_{};                    // of the batch under way
  Evidence evidence_{};
  ShapeResult result_;
};

}  // namespace gemmtune
