#include "gemmtune/tune/candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/operands.h"

namespace gemmtune {
namespace {

bool wants(const TunePlan& plan, const std::string& family) {
  return plan.families.empty() || std::find(plan.families.begin(), plan.families.end(), family) != plan.families.end();
}

}  // namespace

std::vector<Candidate> wanted_candidates(const TunePlan& plan, std::vector<Candidate> candidates) {
  std::erase_if(candidates, [&](const Candidate& candidate) { return !wants(plan, candidate.family); });
  const auto first_default = std::find_if(candidates.begin(), candidates.end(),
                                          [](const Candidate& candidate) { return candidate.is_default; });
  if (first_default != candidates.end()) std::rotate(candidates.begin(), first_default, first_default + 1);
  return candidates;
}

std::string why_too_large(const Problem& problem, const DeviceInfo& device) {
  const auto bytes = operand_sizes(problem).total();
  if (device.memory_bytes <= 0 || bytes <= device.memory_bytes) return "";
  return fmt::format("its operands need {} bytes, {} has {}", bytes, device_id(device), device.memory_bytes);
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
