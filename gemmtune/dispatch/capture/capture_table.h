// What one thread has counted for a capture: a hash table that only this thread changes and that any other thread may
// read meanwhile. It takes no lock: entries are published once and never move, and their counters are atomic.
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
    CapturedKey key{};  // up to `promise` it fills one cache line, which is all that count_again() touches
    std::atomic<std::int64_t> calls{0};
    std::uint64_t promise{};  // of the last answer whose promise differed from the one before; only the owner uses it
    std::atomic<std::int64_t> tuned_m{0};
    std::atomic<double> expected_us{0};
    std::int64_t written{0};  // how much of `calls` was written; only the writer of the file changes it
    std::uint64_t hash{};
    Entry* next{};
  };

  CaptureTable();

  /// Makes this thread the owner of a table that has none. The table keeps the counts of earlier owners. Returns false
  /// if another thread owns it.
  [[nodiscard]] bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_acquire); }
  void release() noexcept { claimed_.store(false, std::memory_order_release); }

  /// Counts a call. Only the owner may call it. Equal keys must have equal hashes; the upper bits of a hash are the
  /// best ones.
  void count(const CapturedKey& key, std::uint64_t hash, const Answer& answer);

  /// Counts a call like one that count() has counted before, if its entry is found at once and the answer's promise is
  /// unchanged. Otherwise does nothing and returns false. Only the owner may call it.
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

  /// Increments by a load and a store, without a locked instruction, because only the owner writes.
  static void increment(std::atomic<std::int64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// An answer's time, and the M that it is for, as one number. Does not read the choice, which may not be in the
  /// cache.
  static std::uint64_t promise_of(const Answer& answer) noexcept {
    return std::bit_cast<std::uint64_t>(answer.expected_us) ^ static_cast<std::uint64_t>(answer.tuned_m);
  }

  Entry*& slot_for(const CapturedKey& key, std::uint64_t hash) noexcept;
  Entry& new_entry(const CapturedKey& key, std::uint64_t hash);
  void grow();

  std::vector<Entry*> slots_;  // their number is a power of two; a quarter is used, so that most keys are found at once
  int shift_{64 - first_bits};
  std::deque<Entry> stored_;
  std::atomic<Entry*> newest_{nullptr};
  std::atomic<bool> claimed_{false};
};

}  // namespace gemmtune
