// Evaluates candidates of a recorded shape by drawing from their samples, with the policies and the sampler of real
// evaluations. Two evaluations of one candidate differ, as they would on the device.
#pragma once

#include <cstdint>
#include <random>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/replay/recording.h"

namespace gemmtune {

class RecordedEvaluator final : public Evaluator {
 public:
  /// The shape must outlive the evaluator. All of its candidates that are right must have samples of a confirmation.
  RecordedEvaluator(const RecordedShape& shape, std::uint64_t seed);

  DeviceInfo device() override;
  std::vector<FamilySupport> supports(const Problem& problem) override;
  std::vector<Candidate> candidates(const Problem& problem) override;

  /// The costs hold the time that the kernels would have taken, with warm-up and the settling of a GPU's clock, and the
  /// recorded time of preparing and verifying.
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override;

 private:
  const RecordedShape& shape_;
  std::mt19937_64 engine_;
};

}  // namespace gemmtune
