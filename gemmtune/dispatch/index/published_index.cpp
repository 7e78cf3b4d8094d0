#include "gemmtune/dispatch/index/published_index.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace gemmtune {
namespace {

struct Hold {
  std::uint64_t ticket{};             // 0: free
  std::weak_ptr<const bool> owner{};  // expired: the owner was destroyed
  std::shared_ptr<const TableIndex> index{};
};

/// Whether both are of one owner.
bool is_same(const std::weak_ptr<const bool>& a, const std::weak_ptr<const bool>& b) noexcept {
  return !a.owner_before(b) && !b.owner_before(a);
}

/// The indexes that one thread holds: one for each living owner that it has asked, so that no owner takes the index of
/// another one away from under an answer.
class Holds {
 public:
  const TableIndex* find(std::uint64_t ticket) const noexcept {
    for (const auto& hold : first_)
      if (hold.ticket == ticket) return hold.index.get();
    for (const auto& hold : more_)
      if (hold.ticket == ticket) return hold.index.get();
    return nullptr;
  }

  /// Releases the owner's older index, and those of owners that are gone.
  const TableIndex& put(Hold hold) noexcept {
    for (auto& one : first_) release_if_over(one);
    for (auto& one : more_) release_if_over(one);
    auto& place = place_of(hold);
    place = std::move(hold);
    return *place.index;
  }

 private:
  static void release_if_over(Hold& hold) noexcept {
    if (hold.ticket != 0 && hold.owner.expired()) hold = {};
  }

  static Hold* find(std::span<Hold> holds, const auto& wanted) noexcept {
    const auto found = std::ranges::find_if(holds, wanted);
    return found == holds.end() ? nullptr : &*found;
  }

  /// The place that the owner has, or a free one, or a new one.
  Hold& place_of(const Hold& wanted) noexcept {
    const auto is_the_owners = [&](const Hold& hold) { return hold.ticket != 0 && is_same(hold.owner, wanted.owner); };
    const auto is_free = [](const Hold& hold) { return hold.ticket == 0; };
    if (auto* place = find(first_, is_the_owners)) return *place;
    if (auto* place = find(more_, is_the_owners)) return *place;
    if (auto* place = find(first_, is_free)) return *place;
    if (auto* place = find(more_, is_free)) return *place;
    return more_.emplace_back();
  }

  std::array<Hold, 16> first_;  // so that a thread with a few dispatchers allocates nothing
  std::vector<Hold> more_;
};

thread_local Holds holds_of_this_thread;  // the only state that belongs to a thread and not to an object

std::uint64_t new_ticket() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

PublishedIndex::PublishedIndex(std::shared_ptr<const TableIndex> index)
    : ticket_(new_ticket()), index_(std::move(index)) {
  ProcessEvents::of_process().add(*this);
}

PublishedIndex::~PublishedIndex() { ProcessEvents::of_process().remove(*this); }

void PublishedIndex::publish(std::shared_ptr<const TableIndex> index) {
  const std::lock_guard lock(mutex_);
  index_.swap(index);
  ticket_.store(new_ticket(), std::memory_order_release);
}

const TableIndex& PublishedIndex::of_this_thread() const noexcept {
  if (const auto* held = holds_of_this_thread.find(ticket())) return *held;
  return take_hold();
}

const TableIndex& PublishedIndex::take_hold() const noexcept {
  Hold hold{.owner = life_};
  {
    const std::lock_guard lock(mutex_);  // under the lock, ticket and index belong together
    hold.ticket = ticket_.load();
    hold.index = index_;
  }
  return holds_of_this_thread.put(std::move(hold));
}

std::shared_ptr<const TableIndex> PublishedIndex::current() const {
  const std::lock_guard lock(mutex_);
  return index_;
}

}  // namespace gemmtune
