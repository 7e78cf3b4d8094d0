// Tunes one shape on one worker: lists the candidates, runs the search, and reaches the verdict.
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

/// What all shapes of a run share.
struct RunParts {
  const TunePlan& plan;
  Journal& journal;
  Limits& limits;
  Neighbours& neighbours;
};

/// How many candidates the worker gets at a time, except at stage confirm, where all finalists are interleaved. With
/// several, the worker never waits while a trial is written to the store. The watchdog interrupts them when a limit is
/// reached.
inline constexpr std::size_t handed_over = 8;

/// The policy under which a plan evaluates the candidates of a batch.
EvaluationPolicy policy_of(const TunePlan& plan, const Batch& batch);

/// Whether this error means that the evaluator cannot be used for other shapes either.
bool ends_worker(const std::exception& error);

class ShapeRun {
 public:
  ShapeRun(RunParts run, const Shape& shape, Evaluator& evaluator);

  /// Ends early with the evaluations so far when a limit is reached or an error occurs during the search. Throws errors
  /// that end the worker, and every error that occurs before the candidates are known.
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
  std::map<std::string, std::string> versions_;  // of the families, by name
  EvaluationPolicy policy_{};                    // of the current batch
  Evidence evidence_{};
  ShapeResult result_;
};

}  // namespace gemmtune
