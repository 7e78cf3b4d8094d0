// One shape on one worker: from the question which candidates there are to the verdict.
#pragma once

#include <exception>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/search/strategy.h"
#include "gemmtune/tune/journal.h"
#include "gemmtune/tune/limits.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// What a run's shapes share.
struct RunParts {
  const TunePlan& plan;
  Journal& journal;
  Limits& limits;
};

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
  bool evaluate(const Batch& batch, Strategy& strategy);
  bool evaluate_together(std::span<const Candidate> candidates, Stage stage, Strategy& strategy);
  void settle_new(const Evaluation& evaluation, Strategy& strategy);
  void settle_known(const Evaluation& evaluation, Strategy& strategy);
  void settle(const Evaluation& evaluation, Strategy& strategy, const TrialContext& context);
  TrialContext context_of(const Candidate& candidate, Stage stage) const;
  const EvaluationPolicy& policy_of(Stage stage) const;

  RunParts run_;
  const Shape& shape_;
  Evaluator& evaluator_;
  DeviceInfo device_;
  std::map<std::string, std::string> versions_;  // of the families
  std::vector<Evaluation> told_;
  ShapeResult result_;
};

}  // namespace gemmtune
