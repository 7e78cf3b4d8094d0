#include "gemmtune/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gemmtune {
namespace {

/// Hands out pieces to the threads until none is left or one has failed.
class Pieces {
 public:
  Pieces(std::int64_t count, std::int64_t grain) : count_(count), grain_(grain) {}

  void work(const std::function<void(std::int64_t, std::int64_t)>& body) {
    try {
      for (;;) {
        const std::int64_t begin = next_.fetch_add(1) * grain_;
        if (begin >= count_) return;
        body(begin, std::min(begin + grain_, count_));
      }
    } catch (...) {
      next_ = count_ / grain_ + 1;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::int64_t count_{};
  std::int64_t grain_{};
  std::atomic<std::int64_t> next_{0};
  std::mutex mutex_{};
  std::exception_ptr failure_{};
};

}  // namespace

void parallel_pieces(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  if (count <= grain) return body(0, count);  // asking for the number of cores alone costs microseconds
  Pieces pieces(count, grain);
  const std::int64_t machine = std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t helpers = std::min(machine, (count + grain - 1) / grain) - 1;
  std::vector<std::jthread> threads;
  for (std::int64_t i = 0; i < helpers; ++i) threads.emplace_back([&] { pieces.work(body); });
  pieces.work(body);
  threads.clear();  // joins
  pieces.rethrow();
}

}  // namespace gemmtune
