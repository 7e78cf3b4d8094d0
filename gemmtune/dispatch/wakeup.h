// How a sleeping thread is told that there is something to do, also from a signal handler.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace gemmtune {

/// A doorbell (eventfd).
class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void ring() noexcept;

  /// Until it rings or the time is over; 0 or less waits without end.
  void wait(std::chrono::milliseconds longest) noexcept;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Rings on a signal while it lives. One at a time in a process: signal handlers are the process's. A handler that was
/// there before still runs, and is put back at the end unless somebody has set another since.
/// A forked child inherits the handler but must not ring its parent: it calls forget_in_child() and may make its own.
class SignalRing {
 public:
  /// Throws Error{unsupported} when another one lives, and Error{usage} for a signal that cannot be caught.
  SignalRing(int signal, const Wakeup& wakeup);
  ~SignalRing();
  SignalRing(const SignalRing&) = delete;
  SignalRing& operator=(const SignalRing&) = delete;

  static void forget_in_child() noexcept;

 private:
  int signal_;
};

}  // namespace gemmtune
