#include "gemmtune/runtime/planner.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/runtime/rehearsal.h"

namespace gemmtune {
namespace {

/// The name of the option's kernel. Throws Error{unsupported} if the option has none that can be run.
std::string kernel_name_of(const KernelOption& option, const Problem& problem, const DeviceInfo& device) {
  if (option.family == nullptr)
    fail(ErrorCode::unsupported, "this build has no family {}",
         option.libtype.empty() ? "with such kernels" : fmt::format("\"{}\"", option.libtype));
  if (!option.kernel_name.empty()) return option.kernel_name;
  const auto chosen = option.family->default_candidate(problem, device);
  if (!chosen) fail(ErrorCode::unsupported, "{} has no candidate for it", option.libtype);
  return chosen->name;
}

}  // namespace

Planner::Planner(std::shared_ptr<const FamilySet> set, std::shared_ptr<Tally> tally, const PlannerRules& rules)
    : set_(std::move(set)), tally_(std::move(tally)), rules_(rules) {}

Planned Planner::plan(const PlanWish& wish, const Answer& answer) const {
  const ServingDevice::Entered entered(*set_->device);
  std::vector<std::string> reasons;
  for (auto& option : options(wish.problem, answer)) {
    try {
      const auto kernel = prepared(wish, option);
      option.origin.notes = join(reasons, "\n");
      return {.plan = plan_of(wish, kernel, option.origin),
              .declined = reasons.size(),
              .why_unrehearsed = rehearse(*kernel)};
    } catch (const std::exception& error) {
      reasons.push_back(fmt::format("{}: {}", to_string(option), error.what()));
    }
  }
  const auto declined = reasons.size();
  if (reasons.empty()) reasons.emplace_back("no table has a row for it, and there is no fallback");
  return {.why_not = fmt::format("{}: {}", to_string(wish.problem), join(reasons, "\n")), .declined = declined};
}

/// Copies everything before anything is prepared: the answer's texts end with this thread's next lookup.
std::vector<KernelOption> Planner::options(const Problem& problem, const Answer& answer) const {
  auto all = table_options(*set_, answer);
  if (rules_.fallback == FallbackPolicy::none) return all;
  const bool by_rule = answer.match == MatchKind::fallback && answer.choice != nullptr;
  const auto preferred = by_rule ? std::string(answer.choice->libtype) : std::string();
  std::ranges::move(default_options(*set_, problem, preferred), std::back_inserter(all));
  return all;
}

Planner::Kernel Planner::prepared(const PlanWish& wish, KernelOption& option) const {
  const auto name = kernel_name_of(option, wish.problem, set_->device->info());
  const auto outdated = option.family->why_outdated(name);
  if (!outdated.empty() && rules_.stale == StalePolicy::decline) fail(ErrorCode::unsupported, "{}", outdated);
  const auto& in_use = wish.in_use;
  const bool is_same = in_use && in_use->family() == option.libtype && in_use->name() == name;
  auto kernel = is_same ? in_use : std::make_shared<const PreparedKernel>(set_, *option.family, wish.problem, name);
  must_fit(wish, *kernel);
  return kernel;
}

void Planner::must_fit(const PlanWish& wish, const PreparedKernel& kernel) const {
  const auto& rules = kernel.rules();
  const auto limit = rules_.workspace_limit_bytes;
  if (limit > 0 && rules.workspace_bytes > limit)
    fail(ErrorCode::unsupported, "it needs {} bytes of workspace, and the limit is {}", rules.workspace_bytes, limit);
  if (wish.packed_layout != 0 && rules.packed_layout != wish.packed_layout)
    fail(ErrorCode::unsupported, "it reads weights that are packed in another way");
}

PlanRef Planner::plan_of(const PlanWish& wish, const Kernel& kernel, PlanOrigin origin) const {
  const auto tally = tally_->of_kernel(kernel->family(), kernel->name(), origin.match);
  return PlanRef(new Plan(wish.problem, kernel, std::move(origin), tally));
}

std::vector<KernelSource> Planner::sources(const Problem& problem, const Answer& answer) const {
  const auto& device = set_->device->info();
  const ServingDevice::Entered entered(*set_->device);
  for (const auto& option : options(problem, answer)) {
    try {
      const auto name = kernel_name_of(option, problem, device);
      return option.family->kernels(problem, {.family = option.libtype, .name = name}, device);
    } catch (const Error&) {
      continue;  // plan() says why
    }
  }
  return {};
}

}  // namespace gemmtune
