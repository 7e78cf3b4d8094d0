// Repeats work on a thread of its own until it is destroyed.
// A forked child does not inherit the thread: there, nothing is repeated until resume() is called, and the end waits
// for nothing.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>

#include "gemmtune/dispatch/process_events.h"

namespace gemmtune {

class Periodic final : private ProcessListener {
 public:
  /// `work` runs for the first time after one interval. It must not throw.
  Periodic(std::chrono::milliseconds interval, std::function<void()> work);

  /// Waits for a run in progress.
  ~Periodic() override;
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  /// Starts a thread if this process has none, which is so in a forked child. Any thread. Throws what the start of a
  /// thread throws.
  void resume();

 private:
  struct Running;

  void before_fork() noexcept override;
  void after_fork_in_parent() noexcept override;
  void after_fork_in_child() noexcept override;

  std::chrono::milliseconds interval_;
  std::function<void()> work_;
  std::mutex mutex_;    // of the next
  Running* running_{};  // null in a forked child
};

}  // namespace gemmtune
