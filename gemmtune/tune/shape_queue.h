// The shapes that are still to be tuned, shared by all workers. A worker that is free takes the next shape, so that no
// worker waits for the slowest one.
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

  /// The index of the next shape. Waits while another worker may still give its shape back. Empty when all shapes are
  /// finished.
  std::optional<std::size_t> take();

  /// Each index that was taken is either finished, or given back for another worker.
  void finish();
  void give_back(std::size_t index);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> waiting_;
  std::size_t in_work_{};
};

}  // namespace gemmtune
