#include "gemmtune/tune/shape_queue.h"

namespace gemmtune {

ShapeQueue::ShapeQueue(std::span<const std::size_t> order) : waiting_(order.begin(), order.end()) {}

std::optional<std::size_t> ShapeQueue::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_.empty() || in_work_ == 0; });
  if (waiting_.empty()) return std::nullopt;
  const std::size_t index = waiting_.front();
  waiting_.pop_front();
  ++in_work_;
  return index;
}

void ShapeQueue::finish() {
  const std::scoped_lock lock(mutex_);
  --in_work_;
  changed_.notify_all();
}

void ShapeQueue::give_back(std::size_t index) {
  const std::scoped_lock lock(mutex_);
  --in_work_;
  waiting_.push_front(index);
  changed_.notify_all();
}

}  // namespace gemmtune
