// Stands in for cublasGemmEx and cublasGemmStridedBatchedEx, through which PyTorch's plain products go. The tuned
// algorithm is run by cublasLtMatmul on the program's own handle, if it needs no workspace: cuBLAS does not lend out
// its own. Everything else goes to cuBLAS.
#include <cstdint>

#include "gemmtune/preload/originals.h"
#include "gemmtune/preload/thread_calls.h"

namespace gemmtune::preload {
namespace {

/// One call, with one matrix or a batch of them.
struct GemmCall {
  cublasHandle_t handle{};
  cublasOperation_t a_operation{};
  cublasOperation_t b_operation{};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
  const void* alpha{};
  const void* beta{};
  const void* a{};
  const void* b{};
  void* c{};
  CallMatrix a_stored{};  // type, leading dimension and batches
  CallMatrix b_stored{};
  CallMatrix c_stored{};
  cublasComputeType_t compute{};
  cublasGemmAlgo_t algo{};
};

/// How the program has set up its handle.
struct HandleState {
  cudaStream_t stream{};
  cublasPointerMode_t pointers{};
  cublasMath_t math{};
  int sm_count_target{};
};

template <typename Function>
Function* of_cublas(const char* name) noexcept {
  return original<Function>(name, cublas_names());
}

/// Empty if the library does not tell.
std::optional<HandleState> state_of(cublasHandle_t handle) noexcept {
  static auto* const stream = of_cublas<decltype(cublasGetStream_v2)>("cublasGetStream_v2");
  static auto* const pointers = of_cublas<decltype(cublasGetPointerMode_v2)>("cublasGetPointerMode_v2");
  static auto* const math = of_cublas<decltype(cublasGetMathMode)>("cublasGetMathMode");
  static auto* const sm_count = of_cublas<decltype(cublasGetSmCountTarget)>("cublasGetSmCountTarget");
  if (stream == nullptr || pointers == nullptr || math == nullptr || sm_count == nullptr) return std::nullopt;
  HandleState state;
  const bool is_told = stream(handle, &state.stream) == CUBLAS_STATUS_SUCCESS &&
                       pointers(handle, &state.pointers) == CUBLAS_STATUS_SUCCESS &&
                       math(handle, &state.math) == CUBLAS_STATUS_SUCCESS &&
                       sm_count(handle, &state.sm_count_target) == CUBLAS_STATUS_SUCCESS;
  return is_told ? std::optional(state) : std::nullopt;
}

/// The mode without its flag.
int math_of(const HandleState& state) noexcept {
  return static_cast<int>(state.math) & ~static_cast<int>(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
}

/// The handle may ask for TF32 where the call says f32.
std::int32_t compute_of(const GemmCall& call, const HandleState& state) noexcept {
  const bool narrows = math_of(state) == CUBLAS_TF32_TENSOR_OP_MATH && call.a_stored.type == CUDA_R_32F;
  return narrows && call.compute == CUBLAS_COMPUTE_32F ? CUBLAS_COMPUTE_32F_FAST_TF32 : call.compute;
}

CallMatrix sized(CallMatrix stored, std::int64_t rows, std::int64_t columns) noexcept {
  stored.rows = rows;
  stored.columns = columns;
  return stored;
}

LibraryCall library_call(const GemmCall& call, const HandleState& state) noexcept {
  const bool a_plain = call.a_operation == CUBLAS_OP_N;
  const bool b_plain = call.b_operation == CUBLAS_OP_N;
  const auto c = sized(call.c_stored, call.m, call.n);
  const int math = math_of(state);
  return {
      .compute = compute_of(call, state),
      .scale_type = CUDA_R_32F,
      .a_operation = call.a_operation,
      .b_operation = call.b_operation,
      .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
      .bias_type = -1,
      .is_unusual = (math != CUBLAS_DEFAULT_MATH && math != CUBLAS_TF32_TENSOR_OP_MATH) || state.sm_count_target != 0,
      .a = sized(call.a_stored, a_plain ? call.m : call.k, a_plain ? call.k : call.m),
      .b = sized(call.b_stored, b_plain ? call.k : call.n, b_plain ? call.n : call.k),
      .c = c,
      .d = c};
}

std::uint64_t word(auto value) noexcept { return static_cast<std::uint64_t>(value); }

/// All that library_call() reads.
CallKey key_of(const GemmCall& call, const HandleState& state) noexcept {
  CallKey key;
  key.add(reinterpret_cast<std::uintptr_t>(call.handle));
  key.add(word(call.a_operation) | word(call.b_operation) << 8 | word(call.compute) << 16 | word(state.math) << 32);
  key.add(word(call.a_stored.type) | word(call.b_stored.type) << 16 | word(call.c_stored.type) << 32);
  for (const auto size : {call.m, call.n, call.k}) key.add(word(size));
  for (const auto* matrix : {&call.a_stored, &call.b_stored, &call.c_stored}) {
    key.add(word(matrix->leading_dimension));
    key.add(word(matrix->batch_stride));
  }
  key.add(word(call.a_stored.batch) << 32 | (word(state.sm_count_target) & 0xffffffffU));
  key.finish();
  return key;
}

/// With beta = 1 the product would be added to C in place, which is none of gemmtune's problems.
bool has_plain_factors(const GemmCall& call) noexcept {
  return call.alpha != nullptr && call.beta != nullptr && *static_cast<const float*>(call.alpha) == 1 &&
         *static_cast<const float*>(call.beta) == 0;
}

bool is_float_scaled(const GemmCall& call) noexcept {
  return call.compute == CUBLAS_COMPUTE_32F || call.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
}

/// What the program accepts: no workspace, and all ways to add up splits of K unless it rules out sums in the output's
/// type.
Limits limits_of(const GemmCall& call, const HandleState& state) noexcept {
  const bool exact = (state.math & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) != 0;
  const auto bits = reinterpret_cast<std::uintptr_t>(call.a) | reinterpret_cast<std::uintptr_t>(call.b) |
                    reinterpret_cast<std::uintptr_t>(call.c) | 256U;
  return {.workspace_bytes = 0,
          .reductions = static_cast<std::uint32_t>(exact ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                                         : CUBLASLT_REDUCTION_SCHEME_MASK),
          .alignment = static_cast<std::uint32_t>(bits & (~bits + 1))};
}

bool leaves_choice(cublasGemmAlgo_t algo) noexcept {
  return algo == CUBLAS_GEMM_DEFAULT || algo == CUBLAS_GEMM_DEFAULT_TENSOR_OP;
}

bool launch(const Served& served, const GemmCall& call, cudaStream_t stream) noexcept {
  const auto bytes = [](const void* address) { return static_cast<const std::byte*>(address); };
  const cublaslt::Addresses at{.a = bytes(call.b), .w = bytes(call.a), .product = static_cast<std::byte*>(call.c)};
  return *served.matmul->launch(at, served.tuned->algo, 0, stream) == '\0';
}

/// Captures the call, and runs it with the tuned algorithm. False if cuBLAS is to run it.
bool run_tuned(const GemmCall& call) noexcept {
  auto* const calls = ThreadCalls::of_this_thread();
  const auto state = calls == nullptr || call.handle == nullptr ? std::nullopt : state_of(call.handle);
  if (!state || state->pointers != CUBLAS_POINTER_MODE_HOST || !is_float_scaled(call) || !has_plain_factors(call))
    return false;
  // A handle of cuBLAS is also one of cuBLASLt.
  const auto handle = reinterpret_cast<cublasLtHandle_t>(call.handle);
  const auto* const known = calls->find(handle, key_of(call, *state), [&] { return library_call(call, *state); });
  if (!known->problem) return false;
  auto* const serving = Serving::of_process();
  serving->record(*known);
  const bool suits = known->tuned && leaves_choice(call.algo) && known->tuned->is_within(limits_of(call, *state));
  if (!suits || !launch(*known, call, state->stream)) return false;
  serving->note_tuned();
  return true;
}

CallMatrix stored(cudaDataType type, std::int64_t leading_dimension, std::int32_t batch = 1, std::int64_t stride = 0) {
  return {.type = type, .leading_dimension = leading_dimension, .batch = batch, .batch_stride = stride};
}

}  // namespace
}  // namespace gemmtune::preload

using namespace gemmtune::preload;  // NOLINT(google-build-using-namespace): the functions below are the library's

extern "C" [[gnu::visibility("default")]] cublasStatus_t cublasGemmEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void* alpha,
    const void* A, cudaDataType Atype, int lda, const void* B, cudaDataType Btype, int ldb, const void* beta, void* C,
    cudaDataType Ctype, int ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  using Function = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                  cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
  static auto* const forward = of_cublas<Function>("cublasGemmEx");
  const GemmCall call{handle,
                      transa,
                      transb,
                      m,
                      n,
                      k,
                      alpha,
                      beta,
                      A,
                      B,
                      C,
                      stored(Atype, lda),
                      stored(Btype, ldb),
                      stored(Ctype, ldc),
                      computeType,
                      algo};
  if (run_tuned(call)) return CUBLAS_STATUS_SUCCESS;
  if (forward == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  return forward(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc, computeType,
                 algo);
}

extern "C" [[gnu::visibility("default")]] cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void* alpha,
    const void* A, cudaDataType Atype, int lda, long long strideA, const void* B, cudaDataType Btype, int ldb,
    long long strideB, const void* beta, void* C, cudaDataType Ctype, int ldc, long long strideC, int batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  using Function =
      cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*,
                     cudaDataType, int, long long, const void*, cudaDataType, int, long long, const void*, void*,
                     cudaDataType, int, long long, int, cublasComputeType_t, cublasGemmAlgo_t);
  static auto* const forward = of_cublas<Function>("cublasGemmStridedBatchedEx");
  const GemmCall call{handle,
                      transa,
                      transb,
                      m,
                      n,
                      k,
                      alpha,
                      beta,
                      A,
                      B,
                      C,
                      stored(Atype, lda, batchCount, strideA),
                      stored(Btype, ldb, batchCount, strideB),
                      stored(Ctype, ldc, batchCount, strideC),
                      computeType,
                      algo};
  if (run_tuned(call)) return CUBLAS_STATUS_SUCCESS;
  if (forward == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  return forward(handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB, beta, C, Ctype,
                 ldc, strideC, batchCount, computeType, algo);
}
