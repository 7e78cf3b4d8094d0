#include "gemmtune/dispatch/capture/live_captures.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>

namespace gemmtune {

LiveCaptures& LiveCaptures::of_process() {
  static auto* const captures = new LiveCaptures;
  return *captures;
}

LiveCaptures::LiveCaptures() {
  std::atexit([] {
    auto& live = of_process();
    const std::scoped_lock lock(live.mutex_);
    for (auto* capture : live.captures_) capture->write_before_exit();
  });
  // The lock is held across the fork, so that the child does not inherit a list in the middle of a change.
  ::pthread_atfork(
      [] {
        of_process().mutex_.lock();
        for (auto* capture : of_process().captures_) capture->before_fork();
      },
      [] {
        for (auto* capture : of_process().captures_) capture->after_fork_in_parent();
        of_process().mutex_.unlock();
      },
      [] {
        for (auto* capture : of_process().captures_) capture->after_fork_in_child();
        of_process().mutex_.unlock();
      });
}

void LiveCaptures::add(LiveCapture& capture) {
  const std::scoped_lock lock(mutex_);
  captures_.push_back(&capture);
}

void LiveCaptures::remove(LiveCapture& capture) {
  const std::scoped_lock lock(mutex_);
  std::erase(captures_, &capture);
}

}  // namespace gemmtune
