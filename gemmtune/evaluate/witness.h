// Judges what timed launches leave behind, so that a kernel cannot do the work only when its output is checked right
// after a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gemmtune/evaluate/attempt.h"
#include "gemmtune/evaluate/workload.h"

namespace gemmtune {

/// For one turn of an attempt: a set that will be launched on is drawn, A changes its sign there in place, and C is
/// poisoned or keeps what it holds, which is then wrong. After the turn, C must be right as it stands.
///
/// One set is enough for each turn, because it is another one each time. More would be found in the cache by more of
/// the timed launches.
class Witness {
 public:
  Witness(Attempt& attempt, Workload& workload) : attempt_(&attempt), workload_(&workload) {}

  /// Draws a set among those of the launches from `first` to `first + count - 1`. Nothing happens if the attempt has
  /// failed or if its outputs are not judged.
  void prepare(std::int64_t first, std::int64_t count);

  /// Notes that these launches have run.
  void saw(std::int64_t first, std::int64_t count);

  /// Judges the set if it was launched on since, and brings its operands back. Whether it was judged.
  bool conclude();

 private:
  Attempt* attempt_;
  Workload* workload_;
  std::optional<std::size_t> set_{};
  bool is_launched_on_{};
};

/// A timer whose launches a witness sees.
class WitnessedTimer final : public Timer {
 public:
  WitnessedTimer(Timer& timer, Witness& witness) : timer_(&timer), witness_(&witness) {}

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    auto times = timer_->time_us(launch, first, count);
    witness_->saw(first, count);
    return times;
  }

 private:
  Timer* timer_;
  Witness* witness_;
};

}  // namespace gemmtune
