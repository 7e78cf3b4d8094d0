// OpenBLAS' single-precision products: the strongest free f32 GEMM on most CPUs, and the one our own is held against.
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

Space space_of(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t most = most_threads(device);
  return {"openblas_f32",
          {label_axis("call", {"nt", "nn", "gemv"}), thread_axis(most)},
          {{"nn needs weights that are transposed ahead: a packed problem",
            [packed = problem.packed](const Point& point) { return packed || point.label("call") != "nn"; }},
           {"gemv reads all weights once a row: not worth it for more than 8 rows",
            [m = problem.m](const Point& point) { return m <= most_gemv_rows || point.label("call") != "gemv"; }},
           {"threads must be from 1 to the cores of this machine, and 1 for a library built without threads",
            [most](const Point& point) { return point["t"] >= 1 && point["t"] <= most; }}}};
}

bool is_f32(const Problem& problem) {
  const Side f32{.type = DType::f32};
  return problem.a == f32 && problem.w == f32 && problem.out == DType::f32;
}

class OpenblasFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "openblas"; }

  std::string version() const override { return openblas::library_version(); }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo&) const override {
    if (!is_f32(problem)) return "multiplies f32 by f32 into f32 only";
    if (std::max({problem.m, problem.n, problem.k}) > std::numeric_limits<std::int32_t>::max())
      return "a size does not fit the library's 32-bit integers";
    return {};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override { return space_of(problem, device); }

  bool has_default() const override { return true; }

  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return openblas::prepare_sgemm(
        {.problem = problem, .call = static_cast<Call>(point["call"]), .threads = static_cast<int>(point["t"])});
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_openblas_family() { return std::make_unique<OpenblasFamily>(); }

}  // namespace gemmtune
