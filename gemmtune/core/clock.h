// Time of day and elapsed time for messages and records. Kernels are timed by device/timer.h.
#pragma once

#include <chrono>
#include <string>

namespace gemmtune {

using SteadyClock = std::chrono::steady_clock;

/// Seconds from `start` to now.
double seconds_since(SteadyClock::time_point start);

/// The time of day in UTC, as in 2026-11-27T21:41:31Z.
std::string utc_now();

/// A duration for progress lines: "45 s", "3 min 20 s", "2 h 05 min".
std::string human_duration(double seconds);

/// Adds its own lifetime, in seconds, to a total.
class ScopedSeconds {
 public:
  explicit ScopedSeconds(double& total) : total_(total), start_(SteadyClock::now()) {}
  ~ScopedSeconds() { total_ += seconds_since(start_); }
  ScopedSeconds(const ScopedSeconds&) = delete;
  ScopedSeconds& operator=(const ScopedSeconds&) = delete;

 private:
  double& total_;
  SteadyClock::time_point start_;
};

}  // namespace gemmtune
