// A value behind a lock that a forked child inherits. For locks that are held for long, or around calls into the
// host's code: a fork cannot wait for those (a callback may fork itself), so the child replaces what it finds locked.
// Locks that are held for a moment are better held across the fork (process_events.h): nothing is then lost.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace gemmtune {

template <typename Value>
class Inherited {
 public:
  explicit Inherited(Value value = {}) : state_(std::make_unique<State>(std::move(value))) {}

  /// Calls `use` with the value under the lock.
  template <typename Use>
  auto with(const Use& use) {
    auto& state = *state_;
    const std::lock_guard lock(state.mutex);
    return use(state.value);
  }

  /// In the child, before it does anything else. If the lock was held at the fork, the child starts from a new value:
  /// nobody will ever release the lock, and the old value may be half-changed. The old value stays in memory, because
  /// the thread that forked may have done so while it held the lock, and then returns into code that uses it.
  void after_fork_in_child() {
    if (state_->mutex.try_lock()) return state_->mutex.unlock();
    auto fresh = std::make_unique<State>(Value{});
    fresh->given_up = std::move(state_);
    state_ = std::move(fresh);
  }

 private:
  struct State {
    explicit State(Value given) : value(std::move(given)) {}

    std::mutex mutex{};
    Value value;
    std::unique_ptr<State> given_up{};
  };

  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
