// For evaluators that change one thing of another evaluator, and leave the rest to it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

/// Passes every call on to an inner evaluator, except for steps(): they would pass by whatever a derived class changes
/// in evaluate().
class PassingEvaluator : public Evaluator {
 public:
  explicit PassingEvaluator(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}

  void begin_start() override { inner_->begin_start(); }
  DeviceInfo device() override { return inner_->device(); }
  std::vector<FamilySupport> supports(const Problem& problem) override { return inner_->supports(problem); }
  std::vector<Candidate> candidates(const Problem& problem) override { return inner_->candidates(problem); }
  void expect(const Problem& problem, std::span<const Candidate> candidates) override {
    inner_->expect(problem, candidates);
  }
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    inner_->evaluate(problem, candidates, policy, observer);
  }
  std::vector<std::string> remarks() const override { return inner_->remarks(); }
  void interrupt() override { inner_->interrupt(); }

 protected:
  Evaluator& inner() { return *inner_; }

 private:
  std::unique_ptr<Evaluator> inner_;
};

}  // namespace gemmtune
