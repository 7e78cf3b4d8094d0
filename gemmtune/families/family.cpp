#include "gemmtune/families/family.h"

#include <fmt/format.h>

#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string_view name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "CPUs";
    case DeviceKind::cuda:
      return "NVIDIA GPUs";
    case DeviceKind::hip:
      return "AMD GPUs";
  }
  return "other devices";
}

}  // namespace

void PreparedGemm::pack_weights(const Operands&, std::byte*, Stream&) {}

const KernelFamily* find_family_of(std::span<const std::unique_ptr<KernelFamily>> families,
                                   std::string_view candidate_name) {
  const KernelFamily* found = nullptr;
  for (const auto& family : families) {
    const bool longer = found == nullptr || family->name().size() > found->name().size();
    if (longer && candidate_name.starts_with(family->name())) found = family.get();
  }
  return found;
}

std::string why_not_asked(const KernelFamily& family, FeatureSet wanted, const DeviceInfo& device) {
  if (family.runs_on() != device.kind) return fmt::format("runs on {} only", name_of(family.runs_on()));
  const auto unknown = wanted.without(family.features());
  return unknown.empty() ? "" : fmt::format("{} does not handle {}", family.name(), to_string(unknown.first()));
}

Support KernelFamily::supports(const Problem& problem, const DeviceInfo& device) const {
  if (auto why = why_not_asked(*this, features_of(problem), device); !why.empty()) return {std::move(why)};
  return {why_not(problem, device)};
}

std::optional<Candidate> KernelFamily::default_candidate(const Problem& problem, const DeviceInfo& device) const {
  const auto all = candidates(problem, device);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::unique_ptr<PreparedGemm> KernelFamily::prepare(const Problem& problem, const Candidate& candidate,
                                                    const DeviceInfo& device) const {
  if (const auto why = why_not_asked(*this, features_of(problem), device); !why.empty())
    fail(ErrorCode::unsupported, "{}", why);
  return make(problem, candidate, device);
}

}  // namespace gemmtune
