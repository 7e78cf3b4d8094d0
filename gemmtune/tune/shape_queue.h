// The shapes still to do, shared by all workers: whoever is free takes the next, so that none waits for the slowest.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <span>

namespace gemmtune {

class ShapeQueue {
 public:
  explicit ShapeQueue(std::span<const std::size_t> order);

  /// The next shape's index. Waits while others may still give theirs back; nothing when all are finished.
  std::optional<std::size_t> take();

  /// Each index taken is either finished or given back, for another worker.
  void finish();
  void give_back(std::size_t index);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> waiting_;
  std::size_t in_work_{};
};

}  // namespace gemmtune
