// The index that serves now, and its replacement by another one while lookups go on.
// A reader takes one atomic load and no lock. Each thread keeps its own hold on the index that it last used, and a
// ticket tells it whether there is a newer one. Only then does it take a lock, once for each thread and index.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gemmtune/dispatch/index/table_index.h"

namespace gemmtune {

class PublishedIndex {
 public:
  /// `index` is never null.
  explicit PublishedIndex(std::shared_ptr<const TableIndex> index);
  PublishedIndex(const PublishedIndex&) = delete;
  PublishedIndex& operator=(const PublishedIndex&) = delete;

  /// Any thread.
  void publish(std::shared_ptr<const TableIndex> index);

  /// The newest index. It lives until this thread asks here again, ends, or has since asked as many other
  /// PublishedIndex objects as one thread holds (16).
  const TableIndex& of_this_thread() const noexcept;

  /// The same index, to be kept for any time.
  std::shared_ptr<const TableIndex> current() const;

 private:
  const TableIndex& take_hold() const noexcept;

  std::atomic<std::uint64_t> ticket_;  // unique within a process
  mutable std::mutex mutex_;
  std::shared_ptr<const TableIndex> index_;
};

}  // namespace gemmtune
