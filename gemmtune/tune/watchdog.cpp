#include "gemmtune/tune/watchdog.h"

#include <chrono>
#include <utility>

namespace gemmtune {
namespace {

// Short compared with any evaluation, long compared with the cost of a check.
constexpr std::chrono::milliseconds check_interval{20};

}  // namespace

Watchdog::Watchdog() : thread_([this](std::stop_token end) { run(end); }) {}

Watchdog::Watch::Watch(Watchdog& watchdog, Evaluator& evaluator, std::function<bool()> reached)
    : watchdog_(watchdog), evaluator_(evaluator), reached_(std::move(reached)) {
  const std::scoped_lock lock(watchdog_.mutex_);
  watchdog_.watches_.insert(this);
}

Watchdog::Watch::~Watch() {
  const std::scoped_lock lock(watchdog_.mutex_);
  watchdog_.watches_.erase(this);
}

// Interrupts again at every check, because an interrupt has no effect on an evaluate() that begins a moment later.
void Watchdog::run(const std::stop_token& end) {
  while (!end.stop_requested()) {
    std::this_thread::sleep_for(check_interval);
    interrupt_where_reached();
  }
}

void Watchdog::interrupt_where_reached() {
  const std::scoped_lock lock(mutex_);
  for (const Watch* watch : watches_)
    if (watch->reached_()) watch->evaluator_.interrupt();
}

}  // namespace gemmtune
