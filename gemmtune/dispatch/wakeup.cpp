#include "gemmtune/dispatch/wakeup.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr int nobody = -1;

// A signal handler gets no argument of ours, so what it needs must be here.
std::atomic<int> rung_descriptor{nobody};
struct sigaction handler_before {};

void ring_descriptor(int descriptor) noexcept {
  const std::uint64_t one = 1;
  (void)!::write(descriptor, &one, sizeof one);  // fails only after 2^64 rings without a wait
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((handler_before.sa_flags & SA_SIGINFO) != 0)
    handler_before.sa_sigaction(signal, info, context);
  else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
    handler_before.sa_handler(signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  if (const int descriptor = rung_descriptor; descriptor != nobody) ring_descriptor(descriptor);
  errno = saved;
  pass_on(signal, info, context);
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

}  // namespace

Wakeup::Wakeup() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) fail(ErrorCode::io, "eventfd: {}", std::strerror(errno));
}

Wakeup::~Wakeup() { ::close(descriptor_); }

void Wakeup::ring() noexcept { ring_descriptor(descriptor_); }

void Wakeup::wait(std::chrono::milliseconds longest) noexcept {
  const auto most = std::chrono::milliseconds(std::numeric_limits<int>::max());
  pollfd watched{.fd = descriptor_, .events = POLLIN, .revents = 0};
  ::poll(&watched, 1, longest.count() > 0 ? static_cast<int>(std::min(longest, most).count()) : -1);
  std::uint64_t rings{};
  (void)!::read(descriptor_, &rings, sizeof rings);
}

SignalRing::SignalRing(int signal, const Wakeup& wakeup) : signal_(signal) {
  int expected = nobody;
  if (!rung_descriptor.compare_exchange_strong(expected, wakeup.descriptor()))
    fail(ErrorCode::unsupported, "another capture of this process listens to a signal");
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  // Saves the previous handler before ours is set, because the first signal may arrive at once. A forked child finds
  // our handler set and has inherited the previous one.
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) == 0) {
    if (!is_ours(now)) handler_before = now;
    if (::sigaction(signal, &action, nullptr) == 0) return;
  }
  rung_descriptor = nobody;
  fail(ErrorCode::usage, "signal {}: {}", signal, std::strerror(errno));
}

SignalRing::~SignalRing() {
  rung_descriptor = nobody;
  struct sigaction now {};
  if (::sigaction(signal_, nullptr, &now) == 0 && is_ours(now)) ::sigaction(signal_, &handler_before, nullptr);
}

void SignalRing::forget_in_child() noexcept { rung_descriptor = nobody; }

}  // namespace gemmtune
