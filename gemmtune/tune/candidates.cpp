#include "gemmtune/tune/candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

bool wants(const TunePlan& plan, const std::string& family) {
  return plan.families.empty() || std::find(plan.families.begin(), plan.families.end(), family) != plan.families.end();
}

}  // namespace

std::vector<Candidate> wanted_candidates(const TunePlan& plan, std::vector<Candidate> candidates) {
  std::erase_if(candidates, [&](const Candidate& candidate) { return !wants(plan, candidate.family); });
  for (const std::string& family : plan.default_families) {
    const auto at = std::find_if(candidates.begin(), candidates.end(),
                                 [&](const Candidate& candidate) { return candidate.family == family; });
    if (at == candidates.end()) continue;
    std::rotate(candidates.begin(), at, at + 1);
    break;
  }
  return candidates;
}

std::string why_no_candidates(const TunePlan& plan, std::span<const FamilySupport> supports) {
  std::vector<std::string> reasons;
  for (const FamilySupport& support : supports) {
    if (!wants(plan, support.family)) continue;
    reasons.push_back(
        fmt::format("{}: {}", support.family, support.why_not.empty() ? "no candidates" : support.why_not));
  }
  if (reasons.empty()) return "the worker has none of the families asked for";
  return "no family can do this: " + join(reasons, "; ");
}

}  // namespace gemmtune
