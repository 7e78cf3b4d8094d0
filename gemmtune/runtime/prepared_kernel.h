// A kernel that is ready to be launched for one problem, with everything that it needs to stay alive: plans share it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/runtime/launch_rules.h"
#include "gemmtune/runtime/serving_device.h"

namespace gemmtune {

/// The kernel families of this build, for one device.
struct FamilySet {
  std::shared_ptr<const ServingDevice> device{};
  std::vector<std::unique_ptr<KernelFamily>> families{};

  explicit FamilySet(std::shared_ptr<const ServingDevice> on);
  ~FamilySet();
  FamilySet(const FamilySet&) = delete;
  FamilySet& operator=(const FamilySet&) = delete;

  /// Null if this build has none of this name.
  const KernelFamily* find(std::string_view name) const;
};

class PreparedKernel {
 public:
  /// Throws Error{unsupported} with the family's reason.
  PreparedKernel(std::shared_ptr<const FamilySet> set, const KernelFamily& family, const Problem& problem,
                 const std::string& kernel_name);
  ~PreparedKernel();
  PreparedKernel(const PreparedKernel&) = delete;
  PreparedKernel& operator=(const PreparedKernel&) = delete;

  const ServingDevice& device() const { return *set_->device; }
  const std::string& family() const { return family_; }
  const std::string& name() const { return name_; }
  const LaunchRules& rules() const { return rules_; }
  PreparedGemm& gemm() const { return *gemm_; }

 private:
  std::shared_ptr<const FamilySet> set_;
  std::string family_;
  std::string name_;
  std::unique_ptr<PreparedGemm> gemm_;
  LaunchRules rules_;
};

}  // namespace gemmtune
