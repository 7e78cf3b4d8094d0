// The index that serves now, and its exchange for another while lookups go on.
//
// A reader takes one atomic load and no lock: each thread keeps its own hold on the index that it last used, and sees
// by a ticket whether there is a newer one. Only then, once a thread and index, it takes a lock.
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
  /// PublishedIndex as one thread holds (16).
  const TableIndex& of_this_thread() const noexcept;

  /// The same to be kept for as long as one likes.
  std::shared_ptr<const TableIndex> current() const;

 private:
  const TableIndex& take_hold() const noexcept;

  std::atomic<std::uint64_t> ticket_;  // never the same twice in a process
  mutable std::mutex mutex_;
  std::shared_ptr<const TableIndex> index_;
};

}  // namespace gemmtune
