// What the tuner asks to run kernels: either this process (LocalEvaluator) or a worker in any language
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

/// Hears what happens during evaluate(), while it happens.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;

  /// The candidate runs from now on. If the process dies, this candidate is to blame.
  virtual void started(const Candidate& candidate) = 0;
  virtual void evaluated(const Evaluation& evaluation) = 0;
};

/// A fault of a candidate has made the device unusable for this process.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(Evaluation culprit)
      : Error(ErrorCode::no_device, "the device is lost to this process: " + culprit.reason),
        culprit_(std::move(culprit)) {}

  const Evaluation& culprit() const { return culprit_; }

 private:
  Evaluation culprit_;
};

class Steps;

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Starts what takes long to start, without waiting for it. The other calls wait.
  virtual void begin_start() {}

  virtual DeviceInfo device() = 0;
  virtual std::vector<FamilySupport> supports(const Problem& problem) = 0;
  virtual std::vector<Candidate> candidates(const Problem& problem) = 0;

  /// These will probably be evaluated soon, in this order: an evaluator may compile them on cores that nothing else
  /// needs. They replace those that were expected before.
  virtual void expect(const Problem& /*problem*/, std::span<const Candidate> /*candidates*/) {}

  /// Evaluates all candidates under one policy and reports each exactly once, in any order. Screening takes them one
  /// by one; confirming interleaves them. A candidate that fails is reported and makes nothing throw, with one
  /// exception: when its fault ends the device for this process, it is reported and DeviceLost is thrown. Another
  /// process may evaluate the candidates that were not reported by then.
  virtual void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                        EvaluationObserver& observer) = 0;

  /// Stage confirm in steps (evaluate/steps.h), for an evaluator that offers it; null for one that does not.
  virtual Steps* steps() { return nullptr; }

  /// What readers of the results should know of how they were made.
  virtual std::vector<std::string> remarks() const { return {}; }

  /// Called from another thread: evaluate() returns soon, without the candidates that were not reported yet. An
  /// evaluator that cannot do that finishes its batch. Later calls are not affected.
  virtual void interrupt() {}
};

}  // namespace gemmtune
