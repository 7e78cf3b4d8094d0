#include "gemmtune/dispatch/index/published_index.h"

#include <array>
#include <utility>

namespace gemmtune {
namespace {

struct Hold {
  std::uint64_t ticket{};  // 0: this place is free
  const PublishedIndex* owner{};
  std::shared_ptr<const TableIndex> index{};
};

/// The indexes that one thread holds; the most recently used one comes first.
struct Holds {
  std::array<Hold, 16> holds;

  const TableIndex* find(std::uint64_t ticket) noexcept {
    for (auto& hold : holds)
      if (hold.ticket == ticket) return hold.index.get();
    return nullptr;
  }

  /// Releases the owner's older index. If there is none, releases the index in the last place.
  const TableIndex& put(Hold hold) noexcept {
    std::size_t at = 0;
    while (at + 1 < holds.size() && holds[at].owner != hold.owner && holds[at].ticket != 0) ++at;
    for (; at > 0; --at) std::swap(holds[at], holds[at - 1]);
    holds[0] = std::move(hold);
    return *holds[0].index;
  }
};

thread_local Holds holds_of_this_thread;  // the only state that belongs to a thread and not to an object

std::uint64_t new_ticket() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

PublishedIndex::PublishedIndex(std::shared_ptr<const TableIndex> index)
    : ticket_(new_ticket()), index_(std::move(index)) {}

void PublishedIndex::publish(std::shared_ptr<const TableIndex> index) {
  const std::lock_guard lock(mutex_);
  index_.swap(index);
  ticket_.store(new_ticket(), std::memory_order_release);
}

const TableIndex& PublishedIndex::of_this_thread() const noexcept {
  const auto ticket = ticket_.load(std::memory_order_acquire);
  if (const auto* held = holds_of_this_thread.find(ticket)) return *held;
  return take_hold();
}

const TableIndex& PublishedIndex::take_hold() const noexcept {
  const std::lock_guard lock(mutex_);  // the lock keeps ticket and index consistent with each other
  return holds_of_this_thread.put({.ticket = ticket_.load(), .owner = this, .index = index_});
}

std::shared_ptr<const TableIndex> PublishedIndex::current() const {
  const std::lock_guard lock(mutex_);
  return index_;
}

}  // namespace gemmtune
