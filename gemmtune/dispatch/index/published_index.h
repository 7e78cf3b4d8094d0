// The index that serves now, and its replacement by another one while lookups go on.
// A reader takes one atomic load and no lock. Each thread keeps its own hold on the index that it last used, and a
// ticket tells it whether there is a newer one. Only then does it take a lock, once for each thread and index.
// A forked child reads on: the lock is held across the fork.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/process_events.h"

namespace gemmtune {

class PublishedIndex final : private ProcessListener {
 public:
  /// `index` is never null.
  explicit PublishedIndex(std::shared_ptr<const TableIndex> index);
  ~PublishedIndex() override;
  PublishedIndex(const PublishedIndex&) = delete;
  PublishedIndex& operator=(const PublishedIndex&) = delete;

  /// May be called on any thread.
  void publish(std::shared_ptr<const TableIndex> index);

  /// The newest index. It lives until this thread asks here again or ends, or this object is destroyed, however many
  /// other objects the thread asks meanwhile. A thread's first question to its 17th living object allocates.
  const TableIndex& of_this_thread() const noexcept;

  /// The number of the newest index. No other index of the process has it.
  std::uint64_t ticket() const noexcept { return ticket_.load(std::memory_order_acquire); }

  /// A reference to the same index, which the caller may keep.
  std::shared_ptr<const TableIndex> current() const;

 private:
  const TableIndex& take_hold() const noexcept;

  void before_fork() noexcept override { mutex_.lock(); }
  void after_fork_in_parent() noexcept override { mutex_.unlock(); }
  void after_fork_in_child() noexcept override { mutex_.unlock(); }

  std::atomic<std::uint64_t> ticket_;  // unique within a process
  mutable std::mutex mutex_;
  std::shared_ptr<const TableIndex> index_;
  const std::shared_ptr<const bool> life_ = std::make_shared<const bool>();  // expires with this object
};

}  // namespace gemmtune
