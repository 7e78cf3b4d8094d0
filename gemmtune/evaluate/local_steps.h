// Stage confirm in steps, and single products, in this process. A candidate that crashes ends the process.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "gemmtune/evaluate/attempt.h"
#include "gemmtune/evaluate/stages.h"
#include "gemmtune/evaluate/steps.h"

namespace gemmtune {

/// DeviceLost is thrown as by LocalEvaluator::evaluate().
class LocalSteps final : public Steps {
 public:
  explicit LocalSteps(const Workbench& bench) : bench_(bench) {}

  void hold(const HoldRequest& request, HoldObserver& observer) override;
  TurnResult sample(const Candidate& candidate, const TurnRequest& turn) override;
  void go_on(const Candidate& candidate, std::int64_t launches) override;
  Process settle(std::span<const Candidate> candidates, EvaluationObserver& observer) override;
  void release() override { held_.clear(); }
  Product multiply(const ProductRequest& request) override;

 private:
  struct Held {
    Attempt attempt;
    std::optional<Failure> flaw{};
    std::int64_t next_launch{};
  };

  EvaluationRequest request() const { return {problem_, {}, policy_}; }
  Held& find(const Candidate& candidate);
  std::size_t held_bytes() const;
  void hold_one(const Candidate& candidate, std::size_t most_bytes, HoldObserver& observer);
  Turn take(Held& held, Workload& workload, const TurnRequest& turn);
  Evaluation settled(Held& held);

  Workbench bench_;
  Problem problem_{};
  EvaluationPolicy policy_{};
  std::map<Candidate, Held> held_;
  std::unique_ptr<Examiner> examiner_;
};

}  // namespace gemmtune
