// Evaluates in this process, for workers, debuggers and sanitizers. A candidate that crashes ends the process.
#pragma once

#include <memory>

#include "gemmtune/device/device.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/evaluate/stages.h"

namespace gemmtune {

/// Keeps the operands and the reference of the last problem, so that all candidates of a shape share them.
class LocalEvaluator final : public Evaluator {
 public:
  /// evaluate() runs `run`.
  LocalEvaluator(std::unique_ptr<Device> device, Families families, RunStage run = run_stage);
  ~LocalEvaluator() override;

  DeviceInfo device() override;
  std::vector<FamilySupport> supports(const Problem& problem) override;
  std::vector<Candidate> candidates(const Problem& problem) override;
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override;
  Steps* steps() override;
  void interrupt() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
