#include "gemmtune/runtime/prepared_kernel.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/families/registry.h"

namespace gemmtune {
namespace {

std::unique_ptr<PreparedGemm> prepare(const KernelFamily& family, const Problem& problem,
                                      const std::string& kernel_name, const DeviceInfo& device) {
  if (const auto support = family.supports(problem, device); !support)
    fail(ErrorCode::unsupported, "{}", support.why_not);
  auto gemm = family.prepare(problem, {.family = std::string(family.name()), .name = kernel_name}, device);
  if (!problem.packed && gemm->packed_weight_bytes() > 0)
    fail(ErrorCode::unsupported, "it packs weights, and this problem's are not to be packed");
  return gemm;
}

}  // namespace

FamilySet::FamilySet(std::shared_ptr<const ServingDevice> on) : device(std::move(on)), families(make_families()) {}

/// What families hold of a library belongs to the device's context. A forked child cannot give it back.
FamilySet::~FamilySet() {
  if (device->is_forked()) {
    for (auto& family : families) static_cast<void>(family.release());
  } else {
    const ServingDevice::Entered entered(*device);
    families.clear();
  }
}

const KernelFamily* FamilySet::find(std::string_view name) const {
  const auto found = std::ranges::find_if(families, [&](const auto& family) { return family->name() == name; });
  return found == families.end() ? nullptr : found->get();
}

PreparedKernel::PreparedKernel(std::shared_ptr<const FamilySet> set, const KernelFamily& family, const Problem& problem,
                               const std::string& kernel_name)
    : set_(std::move(set)),
      family_(family.name()),
      name_(kernel_name),
      gemm_(prepare(family, problem, kernel_name, set_->device->info())),
      rules_(launch_rules(problem, kernel_name, *gemm_, set_->device->info().kind)) {}

PreparedKernel::~PreparedKernel() {
  if (set_->device->is_forked()) {
    static_cast<void>(gemm_.release());
  } else {
    const ServingDevice::Entered entered(*set_->device);
    gemm_.reset();
  }
}

}  // namespace gemmtune
