#include "gemmtune/tune/watchdog.h"

#include <chrono>

namespace gemmtune {
namespace {

// Short compared with any evaluation, long compared with the cost of a check.
constexpr std::chrono::milliseconds check_interval{20};

}  // namespace

Watchdog::Watchdog(const Limits& limits) : limits_(limits), thread_([this](std::stop_token end) { run(end); }) {}

Watchdog::Watch::Watch(Watchdog& watchdog, Evaluator& evaluator) : watchdog_(watchdog), evaluator_(evaluator) {
  const std::scoped_lock lock(watchdog_.mutex_);
  watchdog_.watched_.insert(&evaluator_);
}

Watchdog::Watch::~Watch() {
  const std::scoped_lock lock(watchdog_.mutex_);
  watchdog_.watched_.erase(&evaluator_);
}

// Interrupts again at every check, because an interrupt has no effect on an evaluate() that begins a moment later.
void Watchdog::run(const std::stop_token& end) {
  while (!end.stop_requested()) {
    std::this_thread::sleep_for(check_interval);
    if (limits_.reached()) interrupt_all();
  }
}

void Watchdog::interrupt_all() {
  const std::scoped_lock lock(mutex_);
  for (Evaluator* evaluator : watched_) evaluator->interrupt();
}

}  // namespace gemmtune
