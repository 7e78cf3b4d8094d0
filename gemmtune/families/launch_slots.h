// Several copies of what a launch must change, such as a library's description of a call, so that threads launch one
// prepared product at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gemmtune/core/thread_number.h"

namespace gemmtune {

template <typename State>
class LaunchSlots {
 public:
  static constexpr std::size_t usual_count = 8;

  /// `make` gives the state of one slot.
  template <typename Make>
  explicit LaunchSlots(const Make& make, std::size_t count = usual_count) {
    for (std::size_t i = 0; i < count; ++i) slots_.push_back(std::make_unique<Slot>(make()));
  }

  /// Calls `use` with a state that no other thread uses meanwhile. Waits only while every slot is in use.
  template <typename Use>
  auto with(const Use& use) const {
    const Hold hold(free_slot());
    return use(hold.slot->state);
  }

 private:
  struct Slot {
    explicit Slot(State made) : state(std::move(made)) {}

    std::atomic_flag is_used{};
    State state;
  };

  struct Hold {
    explicit Hold(Slot* held) : slot(held) {}
    ~Hold() { slot->is_used.clear(std::memory_order_release); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    Slot* slot;
  };

  Slot* free_slot() const noexcept {
    for (std::size_t i = this_thread_number();; ++i) {
      Slot* slot = slots_[i % slots_.size()].get();
      if (!slot->is_used.test_and_set(std::memory_order_acquire)) return slot;
      if (i % slots_.size() == 0) std::this_thread::yield();
    }
  }

  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace gemmtune
