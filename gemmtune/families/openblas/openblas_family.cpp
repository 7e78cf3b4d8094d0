// OpenBLAS' single-precision GEMM: the fastest free one on most CPUs. cpu_tile is compared with it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "gemmtune/families/openblas/prepared_sgemm.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {
namespace {

using openblas::Call;

constexpr std::int64_t most_gemv_rows = 8;

std::int64_t most_threads(const DeviceInfo& device) { return openblas::library_has_threads() ? device.cu_num : 1; }

/// BLAS's letters for A and for the weights as they are multiplied ("nt"), which name a call.
std::string letters(Major a, Major w) { return {a == Major::k ? 'n' : 't', w == Major::k ? 't' : 'n'}; }

/// The names of the calls, in the order of openblas::Call.
std::vector<std::string> calls(const Layout& layout) {
  const Major other = layout.w == Major::k ? Major::mn : Major::k;
  return {letters(layout.a, layout.w), letters(layout.a, other), "gemv"};
}

Call call_of(const Point& point) { return static_cast<Call>(point["call"]); }

Space space_of(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t most = most_threads(device);
  const auto names = calls(problem.layout);
  return {"openblas_f32",
          {label_axis("call", names), thread_axis(most)},
          {{fmt::format("{} needs weights that are transposed ahead: a packed problem", names[1]),
            [packed = problem.packed](const Point& point) { return packed || call_of(point) != Call::transposed; }},
           {"gemv reads all weights once for each row: not worth it for more than 8 rows",
            [m = problem.m](const Point& point) { return m <= most_gemv_rows || call_of(point) != Call::gemv; }},
           {"threads must be from 1 to the cores of this machine, and 1 for a library built without threads",
            [most](const Point& point) { return point["t"] >= 1 && point["t"] <= most; }}}};
}

/// The largest number that the library is given: a size or a leading dimension.
std::int64_t largest_number(const Problem& problem) {
  return std::max({problem.m, problem.n, problem.k, stored_a(problem).leading_dimension,
                   stored_w(problem).leading_dimension, stored_c(problem).leading_dimension});
}

bool is_f32(const Problem& problem) {
  const Side f32{.type = DType::f32};
  return problem.a == f32 && problem.w == f32 && problem.out == DType::f32;
}

class OpenblasFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "openblas"; }

  std::string version() const override { return openblas::library_version(); }

  FeatureSet features() const override { return basic_features().with(layout_features()).with(epilogue_features()); }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo&) const override {
    if (!is_f32(problem)) return "multiplies f32 by f32 into f32 only";
    if (largest_number(problem) > std::numeric_limits<std::int32_t>::max())
      return "a size or a leading dimension does not fit the library's 32-bit integers";
    return {};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override { return space_of(problem, device); }

  bool has_default() const override { return true; }

  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return openblas::prepare_sgemm(
        {.problem = problem, .call = call_of(point), .threads = static_cast<int>(point["t"])});
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_openblas_family() { return std::make_unique<OpenblasFamily>(); }

}  // namespace gemmtune
