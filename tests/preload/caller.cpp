// A program that calls cuBLASLt and cuBLAS and knows nothing of gemmtune. Each argument is one call:
//   lt:m=16,n=64,k=64     cublasLtMatmul          heuristic:…     cublasLtMatmulAlgoGetHeuristic, then cublasLtMatmul
//   gemm:…                cublasGemmEx            batched:…       cublasGemmStridedBatchedEx
//   pause:count=N         waits for so many microseconds
//   bench:…,count=N       the cost of cublasLtMatmul, and bench-gemm: of cublasGemmEx
// with words such as type=0 (cudaDataType), alpha=2, workspace=0, epilogue=4: see Words. Addresses are invented, so it
// runs with libraries that multiply nothing.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// The words of one call, with defaults for those that it does not have.
class Words {
 public:
  explicit Words(std::string_view text) {
    while (!text.empty()) {
      const auto piece = text.substr(0, text.find(','));
      const auto equals = piece.find('=');
      values_[std::string(piece.substr(0, equals))] = std::stod(std::string(piece.substr(equals + 1)));
      text.remove_prefix(std::min(text.size(), piece.size() + 1));
    }
  }

  double number(const std::string& name, double otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  int whole(const std::string& name, int otherwise) const { return static_cast<int>(number(name, otherwise)); }
  bool has(const std::string& name) const { return values_.count(name) > 0; }

 private:
  std::map<std::string, double> values_;
};

void must(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("status " + std::to_string(status));
}

/// Nothing is there.
void* address(std::uintptr_t index, const Words& words) {
  return reinterpret_cast<void*>(((index + 1) << 32) + static_cast<std::uintptr_t>(words.whole("offset", 0)));
}

/// The sizes of a product of column-major matrices, op(A) · op(B): A has n x k, because the weights are the library's
/// A.
struct Sizes {
  explicit Sizes(const Words& words)
      : m(words.whole("m", 16)), n(words.whole("n", 64)), k(words.whole("k", 64)), a_is_plain(words.has("nn")) {}

  int m, n, k;
  bool a_is_plain;
  int a_rows() const { return a_is_plain ? n : k; }
  int a_columns() const { return a_is_plain ? k : n; }
};

class Matmul {
 public:
  explicit Matmul(const Words& words) : words_(words) {
    const Sizes sizes(words);
    const auto type = static_cast<cudaDataType>(words.whole("type", CUDA_R_16BF));
    const auto out = static_cast<cudaDataType>(words.whole("out", CUDA_R_16BF));
    must(cublasLtMatmulDescCreate(&operation_,
                                  static_cast<cublasComputeType_t>(words.whole("compute", CUBLAS_COMPUTE_32F)),
                                  static_cast<cudaDataType>(words.whole("scale_type", CUDA_R_32F))));
    set<int>(CUBLASLT_MATMUL_DESC_TRANSA, sizes.a_is_plain ? CUBLAS_OP_N : CUBLAS_OP_T);
    if (words.has("epilogue")) set<int>(CUBLASLT_MATMUL_DESC_EPILOGUE, words.whole("epilogue", 1));
    if (words.has("bias")) set<void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address(5, words));
    if (words.has("aux")) set<void*>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, address(6, words));
    if (words.has("scales")) set<void*>(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, address(7, words));
    if (words.has("scales")) set<void*>(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, address(8, words));
    if (words.has("fast")) set<std::int8_t>(CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1);
    if (words.has("sms")) set<int>(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, words.whole("sms", 0));
    if (words.has("device_factors")) set<int>(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
    must(cublasLtMatrixLayoutCreate(&a_, type, sizes.a_rows(), sizes.a_columns(), sizes.a_rows()));
    must(cublasLtMatrixLayoutCreate(&b_, type, sizes.k, sizes.m, sizes.k + words.whole("gap", 0)));
    must(cublasLtMatrixLayoutCreate(&d_, out, sizes.n, sizes.m, sizes.n));
    if (words.has("row_major")) {
      const int order = CUBLASLT_ORDER_ROW;
      must(cublasLtMatrixLayoutSetAttribute(a_, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    }
  }
  ~Matmul() {
    cublasLtMatmulDescDestroy(operation_);
    for (auto* layout : {a_, b_, d_}) cublasLtMatrixLayoutDestroy(layout);
  }
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  /// The library's first choice, with everything that it answered on stdout.
  cublasLtMatmulAlgo_t first_choice(cublasLtHandle_t handle) const {
    cublasLtMatmulPreference_t preference{};
    must(cublasLtMatmulPreferenceCreate(&preference));
    const std::uint64_t workspace = static_cast<std::uint64_t>(words_.number("workspace", 1 << 25));
    const std::uint32_t reductions =
        static_cast<std::uint32_t>(words_.whole("reductions", CUBLASLT_REDUCTION_SCHEME_MASK));
    const std::uint32_t alignment = static_cast<std::uint32_t>(words_.whole("alignment", 256));
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, const auto& value) {
      must(cublasLtMatmulPreferenceSetAttribute(preference, which, &value, sizeof value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment);
    std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(words_.whole("requested", 1)));
    int count = 0;
    const auto status = cublasLtMatmulAlgoGetHeuristic(handle, operation_, a_, b_, d_, d_, preference,
                                                       static_cast<int>(results.size()), results.data(), &count);
    std::printf("heuristic: status %d:", status);
    for (int i = 0; i < count; ++i) std::printf(" %d", id_of(results[static_cast<std::size_t>(i)].algo));
    std::printf("\n");
    cublasLtMatmulPreferenceDestroy(preference);
    return results.front().algo;
  }

  cublasStatus_t run(cublasLtHandle_t handle, const cublasLtMatmulAlgo_t* algo) const {
    const float alpha = static_cast<float>(words_.number("alpha", 1));
    const float beta = static_cast<float>(words_.number("beta", 0));
    const bool on_device = words_.has("device_factors");
    void* d = address(2, words_);
    return cublasLtMatmul(handle, operation_, on_device ? address(9, words_) : &alpha, address(0, words_), a_,
                          address(1, words_), b_, on_device ? address(10, words_) : &beta,
                          words_.has("residual") ? address(3, words_) : d, d_, d, d_, algo, address(4, Words("")),
                          static_cast<std::size_t>(words_.number("workspace", 1 << 25)),
                          reinterpret_cast<cudaStream_t>(7));
  }

 private:
  static int id_of(const cublasLtMatmulAlgo_t& algo) {
    int id = -1;
    std::size_t written{};
    must(cublasLtMatmulAlgoConfigGetAttribute(&algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id, &written));
    return id;
  }

  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    must(cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof value));
  }

  const Words& words_;
  cublasLtMatmulDesc_t operation_{};
  cublasLtMatrixLayout_t a_{};
  cublasLtMatrixLayout_t b_{};
  cublasLtMatrixLayout_t d_{};
};

cublasStatus_t gemm(cublasHandle_t handle, const Words& words) {
  const Sizes sizes(words);
  const auto type = static_cast<cudaDataType>(words.whole("type", CUDA_R_16BF));
  const auto out = static_cast<cudaDataType>(words.whole("out", CUDA_R_16BF));
  const float alpha = static_cast<float>(words.number("alpha", 1));
  const float beta = static_cast<float>(words.number("beta", 0));
  must(cublasSetMathMode(handle, static_cast<cublasMath_t>(words.whole("math", CUBLAS_DEFAULT_MATH))));
  must(cublasSetPointerMode(handle,
                            words.has("device_factors") ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
  must(cublasSetStream(handle, reinterpret_cast<cudaStream_t>(7)));
  const bool on_device = words.has("device_factors");
  const void* factor_a = on_device ? address(9, words) : &alpha;
  const void* factor_b = on_device ? address(10, words) : &beta;
  const auto operation = sizes.a_is_plain ? CUBLAS_OP_N : CUBLAS_OP_T;
  const auto compute = static_cast<cublasComputeType_t>(words.whole("compute", CUBLAS_COMPUTE_32F));
  const auto algo = static_cast<cublasGemmAlgo_t>(words.whole("algo", CUBLAS_GEMM_DEFAULT));
  if (!words.has("batch"))
    return cublasGemmEx(handle, operation, CUBLAS_OP_N, sizes.n, sizes.m, sizes.k, factor_a, address(0, words), type,
                        sizes.a_rows(), address(1, words), type, sizes.k, factor_b, address(2, words), out, sizes.n,
                        compute, algo);
  return cublasGemmStridedBatchedEx(handle, operation, CUBLAS_OP_N, sizes.n, sizes.m, sizes.k, factor_a,
                                    address(0, words), type, sizes.a_rows(), static_cast<long long>(sizes.n) * sizes.k,
                                    address(1, words), type, sizes.k, static_cast<long long>(sizes.m) * sizes.k,
                                    factor_b, address(2, words), out, sizes.n,
                                    static_cast<long long>(sizes.m) * sizes.n, words.whole("batch", 1), compute, algo);
}

/// Nanoseconds of one call: the least of some rounds.
template <typename Call>
double cost_ns(const Call& call, int count) {
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) call();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / count);
  }
  return least;
}

void call(cublasLtHandle_t lt, cublasHandle_t blas, std::string_view kind, const Words& words) {
  const int count = words.whole("count", 100000);
  if (kind == "bench") {
    const Matmul matmul(words);
    std::printf("%.1f ns\n", cost_ns([&] { must(matmul.run(lt, nullptr)); }, count));
  } else if (kind == "bench-gemm") {
    std::printf("%.1f ns\n", cost_ns([&] { must(gemm(blas, words)); }, count));
  } else if (kind == "pause") {
    std::this_thread::sleep_for(std::chrono::microseconds(count));
  } else if (kind == "gemm" || kind == "batched") {
    std::printf("%s: status %d\n", std::string(kind).c_str(), gemm(blas, words));
  } else {
    const Matmul matmul(words);
    const auto first = kind == "heuristic" ? matmul.first_choice(lt) : cublasLtMatmulAlgo_t{};
    std::printf("lt: status %d\n", matmul.run(lt, kind == "heuristic" ? &first : nullptr));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  cublasLtHandle_t lt{};
  cublasHandle_t blas{};
  must(cublasLtCreate(&lt));
  must(cublasCreate(&blas));
  for (int i = 1; i < argc; ++i) {
    const std::string_view text(argv[i]);
    const auto colon = text.find(':');
    call(lt, blas, text.substr(0, colon), Words(colon == std::string_view::npos ? "" : text.substr(colon + 1)));
    std::fflush(stdout);
  }
  cublasDestroy(blas);
  cublasLtDestroy(lt);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "caller: %s\n", error.what());
  return 1;
}
