// Stage confirm in steps, and the audit, by a worker process that speaks version 2 of the protocol.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "gemmtune/evaluate/steps.h"
#include "gemmtune/worker/conversation.h"

namespace gemmtune {

/// A worker that fails costs the candidate that it was working on, as in RemoteEvaluator::evaluate().
class RemoteSteps final : public Steps {
 public:
  explicit RemoteSteps(Conversation& conversation) : conversation_(conversation) {}

  void hold(const HoldRequest& request, HoldObserver& observer) override;
  TurnResult sample(const Candidate& candidate, const TurnRequest& turn) override;
  Process settle(std::span<const Candidate> candidates, EvaluationObserver& observer) override;
  void release() override;
  Product multiply(const ProductRequest& request) override;

 private:
  bool spares(const Candidate& candidate, const WorkerFault& fault);
  std::variant<Product, WorkerFault> multiply_once(const ProductRequest& request);
  TurnResult lost(const Candidate& candidate, const WorkerFault& fault);
  TurnResult taken(const nlohmann::json& reply, const Candidate& candidate, const TurnRequest& turn);

  Conversation& conversation_;
  Problem problem_{};  // of the candidates that are held
  EvaluationPolicy policy_{};
  std::set<std::pair<Problem, Candidate>> spared_{};  // those whose worker somebody killed once
};

}  // namespace gemmtune
