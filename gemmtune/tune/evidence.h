// What a shape's verdict rests on, collected batch by batch.
#pragma once

#include <vector>

#include "gemmtune/search/strategy.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

class Evidence {
 public:
  /// What is added from now on belongs to this batch.
  void begin(const Batch& batch);
  void add(const Evaluation& evaluation);

  /// All evaluations but those of a race's rounds that went well: few samples, under a clock that was another one in
  /// the next round. Only when nothing was confirmed with all its samples does the last round stand for that.
  std::vector<Evaluation> decisive() const;

  /// Of all that were right, the last of each last.
  std::vector<TimedCandidate> times() const;

 private:
  bool is_round_{};
  std::vector<Evaluation> told_{};
  std::vector<Evaluation> last_round_{};
};

}  // namespace gemmtune
