// The seam between the tuner and whatever runs kernels: this process (LocalEvaluator), or a worker in any language
// (worker/remote_evaluator.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

struct FamilySupport {
  std::string family{};
  std::string version{};
  std::string why_not{};  // "" when it applies
  std::int64_t candidate_count{};

  bool operator==(const FamilySupport&) const = default;
};

/// Told what happens during evaluate(), as it happens.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;

  /// The candidate runs from now on: if the process dies, it is to blame.
  virtual void started(const Candidate& candidate) = 0;
  virtual void evaluated(const Evaluation& evaluation) = 0;
};

/// A candidate's fault has ended the device for this process.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(Evaluation culprit)
      : Error(ErrorCode::no_device, "the device is lost to this process: " + culprit.reason),
        culprit_(std::move(culprit)) {}

  const Evaluation& culprit() const { return culprit_; }

 private:
  Evaluation culprit_;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual DeviceInfo device() = 0;
  virtual std::vector<FamilySupport> supports(const Problem& problem) = 0;
  virtual std::vector<Candidate> candidates(const Problem& problem) = 0;

  /// Evaluates all of them under one policy and reports each exactly once, in any order. Screening goes one by one;
  /// confirming interleaves them. Throws for no candidate's sake but one: a fault that ends the device for this process
  /// is reported, and DeviceLost thrown; those not reported by then may be evaluated by another process.
  virtual void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                        EvaluationObserver& observer) = 0;

  /// From another thread: evaluate() returns soon, without the candidates not yet reported. An evaluator that cannot
  /// do that finishes what it was asked.
  virtual void interrupt() {}
};

}  // namespace gemmtune
