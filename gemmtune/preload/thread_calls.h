// The calls that a thread made lately, and what the tables say of them, so that a repeated call is recognised in some
// tens of nanoseconds.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gemmtune/preload/serving.h"

namespace gemmtune::preload {

class ThreadCalls {
 public:
  /// Null while the thread ends.
  static ThreadCalls* of_this_thread() noexcept;

  explicit ThreadCalls(Serving& serving) : serving_(serving), slots_(slot_count) {}

  /// Never null. Valid until this thread's next call here.
  const Served* find(cublasLtHandle_t handle, const Descriptors& descriptors) noexcept;

  /// The same call with beta = 1. Slower.
  const Served* find_adding(cublasLtHandle_t handle, const Descriptors& descriptors) noexcept;

  /// A call without descriptors. `key` is its arguments, from which `call` makes the call.
  template <typename Call>
  const Served* find(cublasLtHandle_t handle, const CallKey& key, const Call& call) noexcept {
    auto& slot = slot_of(key);
    if (!slot.is_of(key)) slot = {key, *found(handle, call(), nullptr)};
    return &slot.served;
  }

 private:
  static constexpr std::size_t slot_count = 128;
  static constexpr std::size_t most_known = 4096;

  struct Slot {
    CallKey key{};
    Served served{};

    bool is_of(const CallKey& wanted) const noexcept { return served.is_current() && key == wanted; }
  };

  Slot& slot_of(const CallKey& key) noexcept { return slots_[key.hash % slot_count]; }
  const Served& known(cublasLtHandle_t handle, const LibraryCall& call, const Descriptors* descriptors);
  const Served* found(cublasLtHandle_t handle, const LibraryCall& call, const Descriptors* descriptors) noexcept;

  Serving& serving_;
  std::vector<Slot> slots_;
  std::map<std::pair<cublasLtHandle_t, LibraryCall>, Served> known_;
  Served none_{};
};

}  // namespace gemmtune::preload
