// Tells a sleeping thread that there is work. A signal handler may do so too.
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

  /// Waits until it rings or this time is over. With 0 or less, it waits without limit.
  void wait(std::chrono::milliseconds longest) noexcept;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Rings on a signal as long as it exists. A process can have only one, because signal handlers belong to the process.
/// The previous handler still runs, and it is restored at the end unless another one was set since. A forked child
/// inherits the handler but must not ring its parent: it calls forget_in_child() and may make a SignalRing of its own.
class SignalRing {
 public:
  /// Throws Error{unsupported} if another one exists, and Error{usage} for a signal that cannot be caught.
  SignalRing(int signal, const Wakeup& wakeup);
  ~SignalRing();
  SignalRing(const SignalRing&) = delete;
  SignalRing& operator=(const SignalRing&) = delete;

  static void forget_in_child() noexcept;

 private:
  int signal_;
};

}  // namespace gemmtune
