// Tunes one shape on one worker: lists the candidates, runs the search, proves the best candidate when the search was
// cut short, and reaches the verdict.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/search/strategy.h"
#include "gemmtune/tune/evidence.h"
#include "gemmtune/tune/journal.h"
#include "gemmtune/tune/limits.h"
#include "gemmtune/tune/proof_cost.h"
#include "gemmtune/tune/shape_limits.h"
#include "gemmtune/tune/tuner.h"
#include "gemmtune/tune/watchdog.h"

namespace gemmtune {

/// What all shapes of a run share.
struct RunParts {
  const TunePlan& plan;
  Journal& journal;
  Limits& limits;
  Neighbours& neighbours;
  Watchdog& watchdog;
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
  /// `worker_start_s`: how long the evaluator's worker took to start. A worker that is interrupted is replaced.
  ShapeRun(RunParts run, const Shape& shape, Evaluator& evaluator, double worker_start_s);

  /// Ends early with the evaluations so far when a limit is reached or an error occurs during the search. The best
  /// candidate is then proven, in time that is kept for that. Throws errors that end the worker, and every error that
  /// occurs before the candidates are known.
  ShapeResult result();

 private:
  class Recorder;
  using Listener = std::function<void(const Evaluation&)>;

  ShapeResult without_wall_time();
  std::vector<Candidate> candidates();

  bool search(Strategy& strategy);
  Batch ask(Strategy& strategy);
  void expect(const Batch& batch, const std::vector<Candidate>& likely_next);
  ShapeResult with_proof(const Candidate& default_choice);
  bool prove(const Candidate& candidate);
  ShapeResult looked_at_again(ShapeResult result, const Candidate& default_choice);
  ShapeResult verdict(const Candidate& default_choice) const;

  /// Does this part of the work. False when a limit or an error cut it short; the result says so unless the search had
  /// ended by then.
  bool attempt(const std::function<bool()>& part);

  bool evaluate(std::span<const Candidate> candidates, const EvaluationPolicy& policy, const Listener& listener);
  bool evaluate_together(std::span<const Candidate> candidates, const Listener& listener);
  void settle_new(Evaluation evaluation, double wall_s, const Listener& listener);
  void settle_known(Evaluation evaluation, const Listener& listener);
  TrialContext context_of(const Candidate& candidate) const;

  RunParts run_;
  const Shape& shape_;
  Evaluator& evaluator_;
  DeviceInfo device_;
  std::map<std::string, std::string> versions_;  // of the families, by name
  EvaluationPolicy policy_{};                    // of the current batch
  Evidence evidence_{};
  ProofCost proof_cost_;
  ShapeLimits limits_;
  ShapeResult result_;
};

}  // namespace gemmtune
