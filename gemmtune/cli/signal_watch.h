// Turns Ctrl-C and SIGTERM into a flag that the work checks, so that finished work is written before the process ends.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

namespace gemmtune {

/// Blocks SIGINT and SIGTERM in the calling thread and the threads that it starts, and waits for them in a thread of
/// its own. Libraries start threads before main(), which do not block these signals: a handler hands what they get over
/// to the waiting thread. There is one watch in a process at a time. The first signal calls `on_signal` from the
/// waiting thread; a second one ends the process at once with 128 + signal.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int signal)> on_signal);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The first signal that arrived.
  std::optional<int> caught() const;

 private:
  void watch();

  std::function<void(int)> on_signal_;
  std::atomic<int> caught_{0};
  std::atomic<bool> ending_{false};
  sigset_t watched_{};
  sigset_t before_{};
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  std::thread thread_;
};

}  // namespace gemmtune
