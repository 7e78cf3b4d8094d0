// The reasons to end a run early: its budget, its user, or an error in another thread.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "gemmtune/core/clock.h"

namespace gemmtune {

class Limits {
 public:
  Limits(std::optional<double> budget_s, const std::atomic<bool>& stop) : budget_s_(budget_s), stop_(&stop) {}

  bool reached() const;

  /// The reason in words, for shapes that were not finished; "" while no limit is reached.
  std::string reason() const;

  /// Ends the run: no further work is begun. May be called from any thread.
  void abort() { aborted_ = true; }

 private:
  bool budget_is_spent() const { return budget_s_ && seconds_since(start_) >= *budget_s_; }

  std::optional<double> budget_s_;
  const std::atomic<bool>* stop_;
  std::atomic<bool> aborted_{};
  SteadyClock::time_point start_{SteadyClock::now()};
};

}  // namespace gemmtune
