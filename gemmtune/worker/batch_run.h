// Sends one request about several candidates and reads its replies, until the request is done or the worker fails.
// What it tells observers is what the worker answered; a fault is returned.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "gemmtune/evaluate/steps.h"
#include "gemmtune/worker/batch.h"
#include "gemmtune/worker/conversation.h"

namespace gemmtune {

/// Passes on what an observer of evaluations hears.
class PlainObserver final : public HoldObserver {
 public:
  explicit PlainObserver(EvaluationObserver& observer) : observer_(observer) {}

  void started(const Candidate& candidate) override { observer_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override { observer_.evaluated(evaluation); }
  void held(const HeldCandidate& /*candidate*/) override {}
  void postponed(const Candidate& /*candidate*/) override {}

 private:
  EvaluationObserver& observer_;
};

/// `more` holds members of the request beside those of the batch.
std::optional<WorkerFault> run_batch(Conversation& conversation, CandidateBatch& batch, HoldObserver& observer,
                                     const nlohmann::json& more);

/// Charges a fault to the running candidate of the batch; to the next one when none is running.
Evaluation blame(const WorkerFault& fault, CandidateBatch& batch);

}  // namespace gemmtune
