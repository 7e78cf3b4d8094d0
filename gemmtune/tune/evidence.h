// The evaluations of one shape, collected batch by batch, that its verdict is based on.
#pragma once

#include <vector>

#include "gemmtune/search/strategy.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

class Evidence {
 public:
  /// Evaluations that are added from now on belong to this batch.
  void begin(const Batch& batch);
  void add(const Evaluation& evaluation);

  /// Takes this time of a confirmed candidate for its only one, because earlier ones were disturbed. It must be on the
  /// scale of the last confirmation.
  void correct(const Evaluation& evaluation);

  /// All evaluations except the successful ones of a race's rounds. Those have few samples, and the device's clock
  /// differs between rounds. Several confirmations of a candidate are joined into one (measure/pooling.h).
  std::vector<Evaluation> decisive() const;

  /// The times of all evaluations with outcome ok. Of one candidate's several times, the latest comes last.
  std::vector<TimedCandidate> times() const;

 private:
  bool is_round_{};
  std::vector<Evaluation> told_{};
  std::vector<std::vector<Evaluation>> confirmations_{};  // what was timed in each; the rest is in told_
  std::vector<Evaluation> last_round_{};
};

}  // namespace gemmtune
