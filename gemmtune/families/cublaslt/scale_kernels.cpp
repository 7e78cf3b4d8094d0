#include "gemmtune/families/cublaslt/scale_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {

// CMake writes this function.
KernelSource scale_product_kernel();

namespace cublaslt {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned columns_of_a_thread = 4;

constexpr const char* arranger_text = R"(
struct Sizes { long long a_count, m, w_count, k_blocks, padded_k_blocks; };

// A's elements first, then the weights': thread i writes element i of what the library reads.
extern "C" __global__ void arrange_scales(const float* a, float* arranged_a, const float* w, float* arranged_w,
                                          Sizes sizes) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < sizes.a_count) {
    const long long row = i % sizes.m, block = i / sizes.m % sizes.k_blocks, batch = i / sizes.m / sizes.k_blocks;
    arranged_a[i] = a[(batch * sizes.m + row) * sizes.k_blocks + block];
    return;
  }
  const long long j = i - sizes.a_count;
  if (j >= sizes.w_count) return;
  const long long row = j / sizes.padded_k_blocks, block = j % sizes.padded_k_blocks;
  arranged_w[j] = block < sizes.k_blocks ? w[row * sizes.k_blocks + block] : 0.0f;
}
)";

/// The sizes as the kernel sees them. The kernel's text has the same struct.
struct Sizes {
  long long a_count{};
  long long m{};
  long long w_count{};
  long long k_blocks{};
  long long padded_k_blocks{};
};

std::string scale_at(Scaling scaling, const char* name, const char* row) {
  if (scaling == Scaling::none) return "1.0f";
  return fmt::format("{}[{}]", name, scaling == Scaling::tensor ? "batch" : row);
}

unsigned blocks_for(std::int64_t count, std::int64_t of) { return static_cast<unsigned>(ceil_div(count, of)); }

const float* floats(const std::byte* bytes) { return reinterpret_cast<const float*>(bytes); }

GpuModule compiled(const KernelSource& source) { return GpuModule(compile_kernel(source)); }

}  // namespace

KernelSource arranger_source(const std::string& arch) {
  return {.name = "cublaslt_arrange_scales.cu", .text = arranger_text, .arch = arch};
}

KernelSource scaler_source(const Problem& problem, DType product, const std::string& arch) {
  auto source = scale_product_kernel();
  source.arch = arch;
  source.options = {fmt::format("-DPRODUCT={}", product == DType::f32 ? "float" : "int"),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16),
                    fmt::format("-DHAS_BIAS={:d}", problem.epilogue.bias),
                    fmt::format("-DCOLUMNS={}", columns_of_a_thread),
                    fmt::format("-DA_SCALE={}", scale_at(problem.a.scaling, "a_scale", "row")),
                    fmt::format("-DW_SCALE={}", scale_at(problem.w.scaling, "w_scale", "batch*n+column"))};
  return source;
}

ScaleArranger::ScaleArranger(const Problem& problem, Wanted wanted, const std::string& arch)
    : problem_(problem),
      wanted_(wanted),
      module_(compiled(arranger_source(arch))),
      function_(module_.function("arrange_scales")) {}

std::int64_t ScaleArranger::a_count() const {
  return wanted_.a ? problem_.batch * scale_grid(problem_.a.scaling, problem_.m, problem_.k).count() : 0;
}

std::int64_t ScaleArranger::w_count() const {
  const auto rows = problem_.batch * scale_grid(problem_.w.scaling, problem_.n, problem_.k).rows;
  return wanted_.w ? rows * padded_k_blocks(problem_.k) : 0;
}

std::size_t ScaleArranger::a_bytes() const { return static_cast<std::size_t>(a_count()) * sizeof(float); }
std::size_t ScaleArranger::w_bytes() const { return static_cast<std::size_t>(w_count()) * sizeof(float); }

void ScaleArranger::launch(const Operands& operands, std::byte* a_scale, std::byte* w_scale,
                           Stream& stream) const noexcept {
  const auto grid = scale_grid(problem_.w.scaling, problem_.n, problem_.k);
  const Sizes sizes{.a_count = a_count(),
                    .m = problem_.m,
                    .w_count = w_count(),
                    .k_blocks = grid.cols,
                    .padded_k_blocks = padded_k_blocks(problem_.k)};
  const LaunchShape shape{.grid = {blocks_for(a_count() + w_count(), threads), 1, 1}, .block = {threads, 1, 1}};
  module_.launch(stream, function_, shape, floats(operands.a_scale), reinterpret_cast<float*>(a_scale),
                 floats(operands.w_scale), reinterpret_cast<float*>(w_scale), sizes);
}

ProductScaler::ProductScaler(const Problem& problem, DType product, const std::string& arch)
    : problem_(problem),
      module_(compiled(scaler_source(problem, product, arch))),
      function_(module_.function("scale_product")) {}

void ProductScaler::launch(const std::byte* product, const Operands& operands, Stream& stream) const noexcept {
  const LaunchShape shape{.grid = {static_cast<unsigned>(problem_.batch * problem_.m),
                                   blocks_for(problem_.n, std::int64_t{threads} * columns_of_a_thread), 1},
                          .block = {threads, 1, 1}};
  module_.launch(stream, function_, shape, product, floats(operands.a_scale), floats(operands.w_scale), operands.bias,
                 operands.c, static_cast<int>(problem_.m), static_cast<int>(problem_.n));
}

}  // namespace cublaslt
}  // namespace gemmtune
