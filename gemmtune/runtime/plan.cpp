#include "gemmtune/runtime/plan.h"

#include <fmt/format.h>

namespace gemmtune {

Plan::Plan(const Problem& problem, std::shared_ptr<const PreparedKernel> kernel, PlanOrigin origin,
           std::shared_ptr<KernelTally> tally)
    : path_{.rules = kernel->rules(),
            .gemm = &kernel->gemm(),
            .device = &kernel->device(),
            .tally = tally.get(),
            .kind = kernel->device().info().kind},
      problem_(problem),
      kernel_(std::move(kernel)),
      origin_(std::move(origin)),
      tally_(std::move(tally)) {}

Refusal Plan::launch(const LaunchOperands& operands, LaunchStream& stream) const noexcept {
  auto refusal = check_operands(path_.rules, operands);
  if (refusal == Refusal::none && !path_.device->is_reached()) refusal = Refusal::wrong_device;
  if (refusal == Refusal::none) {
    path_.gemm->launch(operands.at, stream);
    if (stream.has_failed()) refusal = Refusal::failed;
  }
  (refusal == Refusal::none ? path_.tally->launches : path_.tally->refused).add();
  return refusal;
}

std::string Plan::refusal_text(Refusal refusal, const LaunchOperands& operands, const LaunchStream& stream) const {
  const auto& device = kernel_->device();
  if (refusal == Refusal::failed) return fmt::format("{}: {}", kernel_->name(), stream.failure());
  if (refusal != Refusal::wrong_device) return gemmtune::refusal_text(kernel_->rules(), operands);
  return device.is_forked() ? "this process was forked from the one that opened the runtime"
                            : fmt::format("the thread's current device is not {}", device_id(device.info()));
}

Refusal Plan::pack_weights(const Operands& operands, void* native_stream) const {
  const auto& device = kernel_->device();
  if (const auto refusal = check_packing(kernel_->rules(), operands); refusal != Refusal::none) return refusal;
  if (!device.is_reached()) return Refusal::wrong_device;
  const auto stream = device.view_of(native_stream);
  kernel_->gemm().pack_weights(operands, const_cast<std::byte*>(operands.packed_w), *stream);
  stream->synchronize();
  return Refusal::none;
}

}  // namespace gemmtune
