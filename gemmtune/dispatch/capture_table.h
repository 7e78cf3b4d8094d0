// What one thread counted of a capture: a hash table that this thread alone changes and any other may read meanwhile.
// Nothing here locks: the thread's entries are published once and never move, their counters are atomic.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <deque>
#include <vector>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// What is counted as one.
struct CapturedKey {
  Problem problem{};
  std::uint32_t device{};
  MatchKind match{MatchKind::fallback};

  bool operator==(const CapturedKey&) const = default;
};

class CaptureTable {
 public:
  struct Entry {
    CapturedKey key{};
    Entry* next{};
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> tuned_m{0};
    std::atomic<double> expected_us{0};
    std::int64_t written{0};  // of `calls`; whoever writes the file keeps it
  };

  CaptureTable();

  /// A thread takes a table that none has; it keeps what earlier owners counted. False when somebody has it.
  [[nodiscard]] bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_acquire); }
  void release() noexcept { claimed_.store(false, std::memory_order_release); }

  /// The owner's alone. `hash` is of the problem.
  void count(const CapturedKey& key, std::uint64_t hash, const Answer& answer);

  /// Every entry so far, newest first.
  Entry* entries() const noexcept { return newest_.load(std::memory_order_acquire); }

 private:
  struct Slot {
    std::uint64_t hash{};
    Entry* entry{};
  };

  Entry& entry_for(const CapturedKey& key, std::uint64_t hash);
  Slot& slot_for(const CapturedKey& key, std::uint64_t hash);
  void grow();

  std::vector<Slot> slots_;  // a power of two of them
  std::deque<Entry> stored_;
  std::atomic<Entry*> newest_{nullptr};
  std::atomic<bool> claimed_{false};
};

/// Of all of a problem's fields.
std::uint64_t hash_of(const Problem& problem) noexcept;

}  // namespace gemmtune
