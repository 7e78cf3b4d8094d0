// A count to which many threads add without waiting for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "gemmtune/core/thread_number.h"

namespace gemmtune {

/// A number that many threads increase. Each thread has a cache line of its own, as far as there are enough.
class SharedCount {
 public:
  void add() noexcept { parts_[this_thread_number() % parts_.size()].count.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) sum += part.count.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(64) Part {
    std::atomic<std::uint64_t> count{0};
  };
  std::array<Part, 16> parts_{};
};

}  // namespace gemmtune
