// The supervisor's end of the protocol: starts a worker process, talks to it, and survives whatever the worker does.
//
// A worker that dies, hangs, breaks the protocol or floods its pipes costs only the candidate that it was running: that
// candidate gets an Outcome, a new worker is started, and the rest of the batch continues.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

struct RemoteOptions {
  std::vector<std::string> command{};  // argv of the worker
  double start_timeout_s{60};          // from start to hello
  double candidate_timeout_s{1800};    // longest silence while a candidate runs (AITER's --timeout)
  double query_timeout_s{60};          // for device, supports and candidates
  int start_attempts{3};               // workers in a row that may fail to say hello before Error{protocol}
  std::int64_t
      memory_limit_bytes{};  // of address space for the worker, 0: none; GPU runtimes reserve far more than they use
};

struct RemoteStatistics {
  std::int64_t starts{};
  std::int64_t crashes{};
  std::int64_t timeouts{};
  std::int64_t protocol_errors{};
  double waiting_s{};  // time spent waiting for the worker
};

/// Starts its worker when it is first needed. All calls must come from one thread, which must live as long as this
/// object: Linux ends a child together with the thread that started it.
class RemoteEvaluator final : public Evaluator {
 public:
  explicit RemoteEvaluator(RemoteOptions options);
  ~RemoteEvaluator() override;

  DeviceInfo device() override;
  std::vector<FamilySupport> supports(const Problem& problem) override;
  std::vector<Candidate> candidates(const Problem& problem) override;
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override;

  const RemoteStatistics& statistics() const;

  /// Kills the worker of a running evaluate(), which then returns. May be called from another thread while evaluate()
  /// runs; has no effect at other times.
  void interrupt() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
