#include "gemmtune/dispatch/periodic.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "gemmtune/dispatch/wakeup.h"

namespace gemmtune {

/// The thread and what it waits for. A doorbell instead of a condition variable: destroying a condition variable whose
/// waiting thread was lost in a fork waits for that thread.
struct Periodic::Running {
  Running(std::chrono::milliseconds interval, const std::function<void()>& work)
      : thread([this, interval, &work] { run(interval, work); }) {}

  ~Running() {
    is_ending = true;
    wakeup.ring();
    thread.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void run(std::chrono::milliseconds interval, const std::function<void()>& work) {
    while (!is_ending) {
      wakeup.wait(interval);
      if (!is_ending) work();
    }
  }

  Wakeup wakeup{};
  std::atomic<bool> is_ending{false};
  std::thread thread;
};

Periodic::Periodic(std::chrono::milliseconds interval, std::function<void()> work)
    : interval_(interval), work_(std::move(work)) {
  resume();
  ProcessEvents::of_process().add(*this);
}

Periodic::~Periodic() {
  ProcessEvents::of_process().remove(*this);
  delete running_;
}

void Periodic::resume() {
  const std::lock_guard lock(mutex_);
  if (running_ == nullptr) running_ = new Running(interval_, work_);
}

void Periodic::before_fork() noexcept { mutex_.lock(); }
void Periodic::after_fork_in_parent() noexcept { mutex_.unlock(); }

/// What belongs to the parent's thread is left alone for ever: the thread does not exist here, and joining it would
/// never return. Its doorbell is shared with the parent, so that the child must not use it. If the work forked, this is
/// that thread, and its loop ends after the work.
void Periodic::after_fork_in_child() noexcept {
  if (running_ != nullptr) running_->is_ending = true;
  running_ = nullptr;
  mutex_.unlock();
}

}  // namespace gemmtune
