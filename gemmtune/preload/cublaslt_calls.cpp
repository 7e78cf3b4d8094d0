// Stands in for cublasLtMatmul and cublasLtMatmulAlgoGetHeuristic. Whatever happens here, the program gets what the
// library itself would give it, or a product by an algorithm that it could have got from the library.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gemmtune/preload/originals.h"
#include "gemmtune/preload/thread_calls.h"

namespace gemmtune::preload {
namespace {

/// One call of cublasLtMatmul.
struct MatmulCall {
  cublasLtHandle_t handle{};
  Descriptors descriptors{};
  const void* alpha{};
  const void* a{};
  const void* b{};
  const void* beta{};
  const void* c{};
  void* d{};
  void* workspace{};
  std::size_t workspace_bytes{};
};

/// The greatest power of two, up to 256, of which all addresses are multiples.
std::uint32_t alignment_of(std::uintptr_t bits) noexcept {
  constexpr std::uintptr_t most = 256;
  return static_cast<std::uint32_t>((bits | most) & (~(bits | most) + 1));
}

std::uintptr_t bits_of(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

/// What the tables say of the call; null if it is none of gemmtune's problems. Factors other than alpha = 1 and beta =
/// 0 or 1 are not: they are read only after it is known that they are on the host.
const Served* served(ThreadCalls& calls, const MatmulCall& call) noexcept {
  const auto* plain = calls.find(call.handle, call.descriptors);
  if (!plain->problem || call.alpha == nullptr || call.beta == nullptr) return nullptr;
  const float alpha = *static_cast<const float*>(call.alpha);
  const float beta = *static_cast<const float*>(call.beta);
  if (alpha != 1 || (beta != 0 && beta != 1)) return nullptr;
  if (beta == 0) return plain;
  if (call.c == call.d) return nullptr;  // gemmtune's residual has memory of its own
  const auto* adding = calls.find_adding(call.handle, call.descriptors);
  return adding->problem ? adding : nullptr;
}

const cublasLtMatmulAlgo_t* algo_for(const Served& served, const MatmulCall& call) noexcept {
  if (!served.tuned) return nullptr;
  const auto tensors = bits_of(call.a) | bits_of(call.b) | bits_of(call.c) | bits_of(call.d);
  const bool has_workspace = call.workspace != nullptr && alignment_of(bits_of(call.workspace)) == 256;
  const Limits limits{.workspace_bytes = has_workspace ? call.workspace_bytes : 0, .alignment = alignment_of(tensors)};
  return served.tuned->is_within(limits) ? &served.tuned->algo : nullptr;
}

bool is_tuned(const Served& served, const cublasLtMatmulAlgo_t& algo) noexcept {
  return served.tuned && std::memcmp(&served.tuned->algo, &algo, sizeof algo) == 0;
}

/// Puts the tuned algorithm before those that the library has found. The last one makes room if there is none.
void put_first(const TunedAlgo& tuned, int room, cublasLtMatmulHeuristicResult_t* results, int& count) noexcept {
  count = std::min(count + 1, room);
  std::move_backward(results, results + count - 1, results + count);
  results[0] = {};
  results[0].algo = tuned.algo;
  results[0].workspaceSize = tuned.workspace_bytes;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = tuned.waves;
}

void prefer_tuned(cublasLtHandle_t handle, const Descriptors& descriptors, cublasLtMatmulPreference_t preference,
                  int room, cublasLtMatmulHeuristicResult_t* results, int& count) noexcept {
  auto* const calls = ThreadCalls::of_this_thread();
  if (calls == nullptr || !descriptors.are_complete() || preference == nullptr || count < 1) return;
  const auto* known = calls->find(handle, descriptors);
  const auto limits = known->tuned ? read_limits(Serving::of_process()->library(), preference) : std::nullopt;
  if (!limits || !known->tuned->is_within(*limits)) return;
  put_first(*known->tuned, room, results, count);
  Serving::of_process()->note_offered();
}

}  // namespace
}  // namespace gemmtune::preload

using namespace gemmtune::preload;  // NOLINT(google-build-using-namespace): the functions below are the library's

extern "C" [[gnu::visibility("default")]] cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* A,
    cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc, const void* beta, const void* C,
    cublasLtMatrixLayout_t Cdesc, void* D, cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo,
    void* workspace, size_t workspace_bytes, cudaStream_t stream) {
  static auto* const forward = original<decltype(cublasLtMatmul)>("cublasLtMatmul", cublaslt_names());
  if (forward == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto run = [&](const cublasLtMatmulAlgo_t* with) {
    return forward(handle, operation, alpha, A, Adesc, B, Bdesc, beta, C, Cdesc, D, Ddesc, with, workspace,
                   workspace_bytes, stream);
  };
  const MatmulCall call{handle,         {operation, Adesc, Bdesc, Cdesc, Ddesc}, alpha, A, B, beta, C, D, workspace,
                        workspace_bytes};
  auto* const calls = call.descriptors.are_complete() ? ThreadCalls::of_this_thread() : nullptr;
  const auto* const known = calls == nullptr ? nullptr : served(*calls, call);
  if (known == nullptr) return run(algo);
  auto* const serving = Serving::of_process();
  serving->record(*known);
  if (algo != nullptr) {  // the program's own decision, which may be what the heuristic below has offered
    if (is_tuned(*known, *algo)) serving->note_tuned();
    return run(algo);
  }
  const auto* const tuned = algo_for(*known, call);
  if (tuned == nullptr || run(tuned) != CUBLAS_STATUS_SUCCESS) return run(algo);
  serving->note_tuned();
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" [[gnu::visibility("default")]] cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
    cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc, cublasLtMatmulPreference_t preference, int requested,
    cublasLtMatmulHeuristicResult_t results[], int* count) {
  static auto* const forward =
      original<decltype(cublasLtMatmulAlgoGetHeuristic)>("cublasLtMatmulAlgoGetHeuristic", cublaslt_names());
  if (forward == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto status = forward(handle, operation, Adesc, Bdesc, Cdesc, Ddesc, preference, requested, results, count);
  if (status == CUBLAS_STATUS_SUCCESS && count != nullptr && results != nullptr)
    prefer_tuned(handle, {operation, Adesc, Bdesc, Cdesc, Ddesc}, preference, requested, results, *count);
  return status;
}
