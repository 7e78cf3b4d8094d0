// How long the proof of a candidate of one shape takes, estimated from what was evaluated of this shape so far.
#pragma once

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

class ProofCost {
 public:
  /// The time for which a worker that was interrupted is replaced. The proof may have to wait for it.
  explicit ProofCost(double worker_start_s) : worker_start_s_(worker_start_s) {}

  /// `wall_s` is the time for which the tuner waited for this evaluation; 0 when it came from the store.
  void add(const Evaluation& evaluation, double wall_s);

  /// 0 while no evaluation of the shape is known.
  double seconds() const;

 private:
  double worker_start_s_;

  // The longest screening so far.
  double prepare_s_{};
  double operands_s_{};
  double reference_s_{};
  double verify_s_{};

  double evaluation_s_{};  // the shortest time for which the tuner waited for a screening
  double proof_s_{};       // the longest proof so far
};

}  // namespace gemmtune
