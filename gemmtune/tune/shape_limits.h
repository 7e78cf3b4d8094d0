// When the work on one shape must end: its search early enough that the winner can be proven within the budget, and the
// proof when the budget ends or shortly after.
#pragma once

#include <atomic>
#include <string>

#include "gemmtune/tune/limits.h"

namespace gemmtune {

class ShapeLimits {
 public:
  /// `run` must outlive this object.
  explicit ShapeLimits(const Limits& run) : run_(run) {}

  /// What the proof of one candidate is expected to take. 0: not known, no time is kept for it.
  void expect_proof(double seconds) { proof_s_ = seconds; }

  /// From now on the limits are those of a proof.
  void begin_proof() { proving_ = true; }

  /// Whether the current part of the work, the search or the proof, must end. The end of a search is final. May be
  /// called from any thread.
  bool reached() const;

  /// Whether a proof that begins now is expected to end in time.
  bool leaves_time_for_proof() const;

  /// Why the search ended, in words; "" while it may go on.
  std::string reason() const;

 private:
  bool time_to_prove() const;

  const Limits& run_;
  std::atomic<double> proof_s_{};
  std::atomic<bool> proving_{};
  mutable std::atomic<bool> kept_for_proof_{};  // the search has ended so that there is time for the proof
};

}  // namespace gemmtune
