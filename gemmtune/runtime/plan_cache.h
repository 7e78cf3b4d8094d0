// The plans of a runtime by problem. Any number of threads find plans at once: each takes a lock that threads hardly
// ever share. Changes are rare, and take all locks.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/runtime/plan.h"

namespace gemmtune {

struct PlanKey {
  Problem problem{};
  std::uint64_t packed_layout{};  // 0: any

  auto operator<=>(const PlanKey&) const = default;
};

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const noexcept;
};

/// A plan, or why the problem has none.
struct CachedPlan {
  PlanRef plan{};
  std::string why_not{};
};

class PlanCache {
 public:
  static constexpr std::size_t most_plans = 1 << 14;  // others then make room, and are planned anew if they come again

  std::optional<CachedPlan> find(const PlanKey& key) const;

  /// The plan alone, which is faster; empty if the key is not known or has no plan.
  PlanRef find_plan(const PlanKey& key) const noexcept;

  /// Replaces what the key had.
  void put(const PlanKey& key, CachedPlan plan);

  std::vector<std::pair<PlanKey, CachedPlan>> all() const;

 private:
  struct alignas(64) Lock {
    std::mutex mutex{};
  };
  class AllLocked;

  std::mutex& lock_of_this_thread() const noexcept { return locks_[this_thread_number() % locks_.size()].mutex; }

  mutable std::array<Lock, 32> locks_;
  std::unordered_map<PlanKey, CachedPlan, PlanKeyHash> plans_;
};

}  // namespace gemmtune
