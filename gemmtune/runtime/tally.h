// What a runtime has done: its plans by the match of their kernels, and the launches of each kernel.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gemmtune/core/shared_count.h"
#include "gemmtune/table/match_kind.h"

namespace gemmtune {

/// The launches of one kernel that was found by one kind of match. Plans share it, and it outlives them.
struct KernelTally {
  std::string family{};
  std::string name{};
  MatchKind match{MatchKind::fallback};
  SharedCount launches{};
  SharedCount refused{};
};

/// All counts at one moment.
struct Totals {
  std::array<std::uint64_t, match_kind_count> plans{};  // by match
  std::uint64_t missed{};                               // problems without a kernel
  std::uint64_t declined{};                             // choices that were passed over
  std::uint64_t launches{};
  std::uint64_t launches_tuned{};
  std::uint64_t refused{};
  std::uint64_t reloads{};

  auto operator<=>(const Totals&) const = default;
};

class Tally {
 public:
  /// The tally of a kernel, new or known.
  std::shared_ptr<KernelTally> of_kernel(const std::string& family, const std::string& name, MatchKind match);

  void note_plan(MatchKind match) noexcept { ++plans_[static_cast<std::size_t>(match)]; }
  void note_miss() noexcept { ++missed_; }
  void note_declined(std::uint64_t choices) noexcept { declined_ += choices; }
  void note_reload() noexcept { ++reloads_; }

  Totals totals() const;

  /// The totals in one line, then a line for each kernel that was launched, the most launched first.
  std::vector<std::string> summary() const;

 private:
  std::vector<std::shared_ptr<KernelTally>> kernels() const;

  std::array<std::atomic<std::uint64_t>, match_kind_count> plans_{};
  std::atomic<std::uint64_t> missed_{0};
  std::atomic<std::uint64_t> declined_{0};
  std::atomic<std::uint64_t> reloads_{0};
  mutable std::mutex mutex_;  // of the next
  std::vector<std::shared_ptr<KernelTally>> kernels_;
};

}  // namespace gemmtune
