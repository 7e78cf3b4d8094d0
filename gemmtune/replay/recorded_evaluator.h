// Evaluates candidates of a recorded shape by drawing from their samples, under the policies and the sampling of real
// evaluations. Two evaluations of one candidate differ as two on the device would.
#pragma once

#include <cstdint>
#include <random>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/replay/recording.h"

namespace gemmtune {

class RecordedEvaluator final : public Evaluator {
 public:
  /// The shape, all of it confirmed, must outlive this.
  RecordedEvaluator(const RecordedShape& shape, std::uint64_t seed);

  DeviceInfo device() override;
  std::vector<FamilySupport> supports(const Problem& problem) override;
  std::vector<Candidate> candidates(const Problem& problem) override;

  /// Costs have what the kernels would have taken, warm-up and the settling of a GPU's clock included, and what
  /// preparing and verifying took.
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override;

 private:
  const RecordedShape& shape_;
  std::mt19937_64 engine_;
};

}  // namespace gemmtune
