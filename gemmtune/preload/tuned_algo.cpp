#include "gemmtune/preload/tuned_algo.h"

#include <utility>

#include "gemmtune/families/cublaslt/kernel_name.h"

namespace gemmtune::preload {

bool TunedAlgo::is_within(const Limits& limits) const noexcept {
  return workspace_bytes <= limits.workspace_bytes && (reductions & ~limits.reductions) == 0 &&
         (arithmetic & ~limits.arithmetic) == 0 && alignment <= limits.alignment;
}

std::optional<TunedKernel> TunedKernel::of(const std::shared_ptr<const cublaslt::Session>& session,
                                           const TunedCall& call) {
  const auto name = cublaslt::parse_kernel_name(call.kernel_name);
  if (!name || name->is_default || name->version != session->library().version() ||
      name->fast_accumulation != call.fast_accumulation)
    return std::nullopt;
  auto spec = cublaslt::call_of(call.problem).matmul;
  spec.fast_accumulation = call.fast_accumulation;
  const auto matmul = std::make_shared<const cublaslt::Matmul>(session, spec);
  const auto algo = matmul->algo_of(name->config);
  if (!algo) return std::nullopt;
  const bool splits = name->config.split_k != 1;
  return TunedKernel(matmul, *algo, splits ? name->config.reduction : 0);
}

std::optional<TunedAlgo> TunedKernel::checked(const cublaslt::Session& session, const Descriptors& on) const {
  cublasLtMatmulHeuristicResult_t result{};
  const auto status =
      session.library().algo_check(session.handle(), on.operation, on.a, on.b, on.c, on.d, &algo_, &result);
  if (status != CUBLAS_STATUS_SUCCESS || result.state != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  return algo_with(result.workspaceSize, result.wavesCount);
}

std::optional<TunedAlgo> TunedKernel::checked() const {
  const auto accepted = matmul_->check(algo_);
  if (!accepted) return std::nullopt;
  return algo_with(accepted->workspace_bytes, static_cast<float>(accepted->waves));
}

TunedAlgo TunedKernel::algo_with(std::uint64_t workspace_bytes, float waves) const {
  return {.algo = algo_,
          .workspace_bytes = workspace_bytes,
          .waves = waves,
          .reductions = reductions_,
          .arithmetic = matmul_->arithmetic_of(algo_),
          .alignment = static_cast<std::uint32_t>(matmul_->alignment_of(algo_))};
}

}  // namespace gemmtune::preload
