#include "gemmtune/dispatch/process_events.h"

#include <pthread.h>

#include <cstdlib>

namespace gemmtune {

ProcessEvents& ProcessEvents::of_process() {
  static auto* const events = new ProcessEvents;
  return *events;
}

ProcessEvents::ProcessEvents() {
  std::atexit([] {
    auto& events = of_process();
    const std::scoped_lock lock(events.mutex_);
    for (auto* listener : events.listeners_) listener->before_exit();
  });
  // The lock is held across the fork, so that the child does not inherit a list in the middle of a change.
  ::pthread_atfork(
      [] {
        of_process().mutex_.lock();
        for (auto* listener : of_process().listeners_) listener->before_fork();
      },
      [] {
        for (auto* listener : of_process().listeners_) listener->after_fork_in_parent();
        of_process().mutex_.unlock();
      },
      [] {
        for (auto* listener : of_process().listeners_) listener->after_fork_in_child();
        of_process().mutex_.unlock();
      });
}

void ProcessEvents::add(ProcessListener& listener) {
  const std::scoped_lock lock(mutex_);
  listeners_.push_back(&listener);
}

void ProcessEvents::remove(ProcessListener& listener) {
  const std::scoped_lock lock(mutex_);
  std::erase(listeners_, &listener);
}

}  // namespace gemmtune
