// What one thread counted of a capture: a hash table that this thread alone changes and any other may read meanwhile.
// Nothing here locks: the thread's entries are published once and never move, their counters are atomic.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/dispatch/capture/captured_key.h"

namespace gemmtune {

class CaptureTable {
 public:
  struct alignas(64) Entry {
    CapturedKey key{};  // one cache line up to `promise`, which is all that count_again() touches
    std::atomic<std::int64_t> calls{0};
    std::uint64_t promise{};  // of the last answer that was not as the one before; the owner's alone
    std::atomic<std::int64_t> tuned_m{0};
    std::atomic<double> expected_us{0};
    std::int64_t written{0};  // of `calls`; whoever writes the file keeps it
    std::uint64_t hash{};
    Entry* next{};
  };

  CaptureTable();

  /// A thread takes a table that none has; it keeps what earlier owners counted. False when somebody has it.
  [[nodiscard]] bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_acquire); }
  void release() noexcept { claimed_.store(false, std::memory_order_release); }

  /// The owner's alone. `hash` is the same for equal keys, and best in its upper bits.
  void count(const CapturedKey& key, std::uint64_t hash, const Answer& answer);

  /// Counts what count() has counted before, where it is found at once and nothing else is promised than then. Else
  /// does nothing and is false. The owner's alone.
  [[nodiscard]] bool count_again(const CapturedKey& key, std::uint64_t hash, const Answer& answer) noexcept {
    auto* entry = slots_[hash >> shift_];
    if (entry == nullptr || entry->key != key || entry->promise != promise_of(answer)) return false;
    increment(entry->calls);
    return true;
  }

  /// Every entry so far, newest first.
  Entry* entries() const noexcept { return newest_.load(std::memory_order_acquire); }

 private:
  static constexpr int first_bits = 7;

  /// Only this thread writes: a load and a store, no locked instruction.
  static void increment(std::atomic<std::int64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// A time and the M that it is for, as one number. No look at the choice, which may be far away.
  static std::uint64_t promise_of(const Answer& answer) noexcept {
    return std::bit_cast<std::uint64_t>(answer.expected_us) ^ static_cast<std::uint64_t>(answer.tuned_m);
  }

  Entry*& slot_for(const CapturedKey& key, std::uint64_t hash) noexcept;
  Entry& new_entry(const CapturedKey& key, std::uint64_t hash);
  void grow();

  std::vector<Entry*> slots_;  // a power of two; a quarter taken: most are found at once
  int shift_{64 - first_bits};
  std::deque<Entry> stored_;
  std::atomic<Entry*> newest_{nullptr};
  std::atomic<bool> claimed_{false};
};

}  // namespace gemmtune
