// A kernel that is ready for one problem, and how it was chosen. Immutable: any number of threads launch it at once. It
// stays valid after its runtime was closed and after tables were reloaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "gemmtune/runtime/launch_stream.h"
#include "gemmtune/runtime/prepared_kernel.h"
#include "gemmtune/runtime/tally.h"

namespace gemmtune {

/// How a plan's kernel was chosen.
struct PlanOrigin {
  MatchKind match{MatchKind::fallback};
  std::int64_t tuned_m{};  // 0 for a fallback
  std::string source{};    // the table or the rule
  std::int64_t line{};     // of the table
  double expected_us{};    // 0: not known
  std::string notes{};     // why earlier choices were declined, one a line

  bool operator==(const PlanOrigin&) const = default;
};

class Plan {
 public:
  /// Has one holder.
  Plan(const Problem& problem, std::shared_ptr<const PreparedKernel> kernel, PlanOrigin origin,
       std::shared_ptr<KernelTally> tally);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Problem& problem() const { return problem_; }
  const PlanOrigin& origin() const { return origin_; }
  const LaunchRules& rules() const { return path_.rules; }
  const std::shared_ptr<const PreparedKernel>& kernel() const { return kernel_; }
  LaunchStream stream(void* native) const noexcept { return {path_.kind, native}; }

  /// Enqueues the product, or says why not. After Refusal::failed, the stream has the failure.
  Refusal launch(const LaunchOperands& operands, LaunchStream& stream) const noexcept;
  std::string refusal_text(Refusal refusal, const LaunchOperands& operands, const LaunchStream& stream) const;

  /// `operands` has the weights, their scales, and where the packed weights go. Waits for the stream. Throws
  /// Error{unsupported} if the kernel cannot multiply these weights exactly.
  Refusal pack_weights(const Operands& operands, void* native_stream) const;

  /// More holders and fewer. The last one destroys the plan.
  void retain() const noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  /// All that a launch reads, in as few cache lines as it fits: between two launches the host has done other work.
  struct alignas(64) LaunchPath {
    LaunchRules rules{};
    PreparedGemm* gemm{};
    const ServingDevice* device{};
    KernelTally* tally{};
    DeviceKind kind{};
  };

  ~Plan() = default;

  LaunchPath path_;
  mutable std::atomic<std::int64_t> holders_{1};
  Problem problem_;
  std::shared_ptr<const PreparedKernel> kernel_;
  PlanOrigin origin_;
  std::shared_ptr<KernelTally> tally_;
};

/// Holds a plan, or none.
class PlanRef {
 public:
  PlanRef() = default;
  /// Takes the place of one holder.
  explicit PlanRef(const Plan* plan) noexcept : plan_(plan) {}
  PlanRef(const PlanRef& other) noexcept : plan_(other.plan_) {
    if (plan_ != nullptr) plan_->retain();
  }
  PlanRef(PlanRef&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  PlanRef& operator=(PlanRef other) noexcept {
    std::swap(plan_, other.plan_);
    return *this;
  }
  ~PlanRef() {
    if (plan_ != nullptr) plan_->release();
  }

  explicit operator bool() const noexcept { return plan_ != nullptr; }
  const Plan* operator->() const noexcept { return plan_; }
  const Plan& operator*() const noexcept { return *plan_; }

  /// Gives up the plan, which the caller must release.
  const Plan* take() noexcept { return std::exchange(plan_, nullptr); }

 private:
  const Plan* plan_{};
};

}  // namespace gemmtune
