#include "gemmtune/dispatch/periodic.h"

#include <utility>

namespace gemmtune {

Periodic::Periodic(std::chrono::milliseconds interval, std::function<void()> work)
    : interval_(interval), work_(std::move(work)), thread_([this] { run(); }) {}

Periodic::~Periodic() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Periodic::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval_, [this] { return is_ending_; })) {
    lock.unlock();
    work_();
    lock.lock();
  }
}

}  // namespace gemmtune
