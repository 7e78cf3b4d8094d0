#include "gemmtune/cli/signal_watch.h"

#include <unistd.h>

#include <ctime>
#include <utility>

namespace gemmtune {
namespace {

constexpr timespec patience{.tv_sec = 0, .tv_nsec = 50'000'000};  // how long the end of the watch may take

/// The thread that waits for signals. A signal handler has no other way to know it.
std::atomic<pthread_t> waiting_thread{};
static_assert(std::atomic<pthread_t>::is_always_lock_free);

extern "C" void hand_over(int signal) { ::pthread_kill(waiting_thread, signal); }

}  // namespace

SignalWatch::SignalWatch(std::function<void(int)> on_signal) : on_signal_(std::move(on_signal)) {
  ::sigemptyset(&watched_);
  ::sigaddset(&watched_, SIGINT);
  ::sigaddset(&watched_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  thread_ = std::thread([this] { watch(); });
  waiting_thread = thread_.native_handle();
  struct sigaction action {};
  action.sa_handler = hand_over;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &interrupt_before_);
  ::sigaction(SIGTERM, &action, &terminate_before_);
}

SignalWatch::~SignalWatch() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
  ending_ = true;
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> SignalWatch::caught() const {
  const int signal = caught_;
  return signal == 0 ? std::nullopt : std::optional(signal);
}

void SignalWatch::watch() {
  while (!ending_) {
    const int signal = ::sigtimedwait(&watched_, nullptr, &patience);
    if (signal <= 0) continue;
    if (caught_.exchange(signal) != 0) ::_exit(128 + signal);
    on_signal_(signal);
  }
}

}  // namespace gemmtune
