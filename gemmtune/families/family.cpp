#include "gemmtune/families/family.h"

#include <fmt/format.h>

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

Support ask_support(const KernelFamily& family, const Problem& problem, const DeviceInfo& device) {
  if (family.runs_on() != device.kind) return {fmt::format("runs on {} only", name_of(family.runs_on()))};
  return family.supports(problem, device);
}

}  // namespace gemmtune
