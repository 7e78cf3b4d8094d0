// Repeats work on a thread of its own until it is destroyed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gemmtune {

class Periodic {
 public:
  /// `work` runs for the first time after one interval. It must not throw.
  Periodic(std::chrono::milliseconds interval, std::function<void()> work);

  /// Waits for a run in progress.
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  void run();

  std::chrono::milliseconds interval_;
  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_{};
  std::thread thread_;
};

}  // namespace gemmtune
