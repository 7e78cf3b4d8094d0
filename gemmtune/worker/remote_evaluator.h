// The supervisor's end of the protocol: starts a worker process, talks to it, and survives whatever the worker does.
//
// A worker that dies, hangs, breaks the protocol or floods its pipes costs only the candidate that it was running: that
// candidate gets an Outcome, a new worker is started, and the rest of the batch continues.
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/worker/conversation.h"

namespace gemmtune {

/// Starts its worker when it is first needed. All calls must come from one thread, which must live as long as this
/// object: Linux ends a child together with the thread that started it.
class RemoteEvaluator final : public Evaluator {
 public:
  explicit RemoteEvaluator(RemoteOptions options);
  ~RemoteEvaluator() override;

  void begin_start() override;
  DeviceInfo device() override;
  std::vector<FamilySupport> supports(const Problem& problem) override;
  std::vector<Candidate> candidates(const Problem& problem) override;

  /// Sent to a worker that says that it compiles ahead; others ignore it.
  void expect(const Problem& problem, std::span<const Candidate> candidates) override;
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override;

  /// Null for a worker that speaks version 1 of the protocol. Starts the worker.
  Steps* steps() override;

  const RemoteStatistics& statistics() const;

  /// Kills the worker of a running evaluate(), which then returns. May be called from another thread while evaluate()
  /// runs; has no effect at other times.
  void interrupt() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
