// Turns the answer of a lookup into a plan: takes the first kernel that can be run, and says why earlier ones were not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/runtime/kernel_options.h"
#include "gemmtune/runtime/plan.h"

namespace gemmtune {

enum class FallbackPolicy : std::uint8_t { family_default, none };
enum class StalePolicy : std::uint8_t { decline, run };

struct PlannerRules {
  FallbackPolicy fallback{FallbackPolicy::family_default};
  StalePolicy stale{StalePolicy::decline};
  std::size_t workspace_limit_bytes{};  // 0: none

  auto operator<=>(const PlannerRules&) const = default;
};

/// A plan, or why there is none.
struct Planned {
  PlanRef plan{};
  std::string why_not{};          // all reasons, one a line
  std::uint64_t declined{};       // choices that were passed over
  std::string why_unrehearsed{};  // why the kernel could not be launched in advance, or ""
};

/// What is asked of a plan.
struct PlanWish {
  Problem problem{};
  std::uint64_t packed_layout{};                   // 0: any
  std::shared_ptr<const PreparedKernel> in_use{};  // taken as it is if its kernel is chosen again; may be null
};

class Planner {
 public:
  Planner(std::shared_ptr<const FamilySet> set, std::shared_ptr<Tally> tally, const PlannerRules& rules);

  /// Compiles. What the answer points to must stay valid meanwhile.
  Planned plan(const PlanWish& wish, const Answer& answer) const;

  /// The sources that plan() would compile for its first choice, as far as the family tells.
  std::vector<KernelSource> sources(const Problem& problem, const Answer& answer) const;

  const FamilySet& set() const { return *set_; }

 private:
  using Kernel = std::shared_ptr<const PreparedKernel>;

  std::vector<KernelOption> options(const Problem& problem, const Answer& answer) const;
  Kernel prepared(const PlanWish& wish, KernelOption& option) const;
  void must_fit(const PlanWish& wish, const PreparedKernel& kernel) const;
  PlanRef plan_of(const PlanWish& wish, const Kernel& kernel, PlanOrigin origin) const;

  std::shared_ptr<const FamilySet> set_;
  std::shared_ptr<Tally> tally_;
  PlannerRules rules_;
};

}  // namespace gemmtune
