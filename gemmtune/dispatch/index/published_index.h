// The index in use now, which can be replaced while lookups go on. A reader does one atomic load and takes no lock.
// Each thread keeps its own reference to the index that it last used, and a ticket tells it whether there is a newer
// one. Only then does it take a lock, once for each thread and index.
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

  /// May be called on any thread.
  void publish(std::shared_ptr<const TableIndex> index);

  /// The newest index. It stays alive until this thread asks here again, ends, or has asked as many other
  /// PublishedIndex objects as one thread holds (16).
  const TableIndex& of_this_thread() const noexcept;

  /// A reference to the same index, which the caller may keep.
  std::shared_ptr<const TableIndex> current() const;

 private:
  const TableIndex& take_hold() const noexcept;

  std::atomic<std::uint64_t> ticket_;  // unique within a process
  mutable std::mutex mutex_;
  std::shared_ptr<const TableIndex> index_;
};

}  // namespace gemmtune
