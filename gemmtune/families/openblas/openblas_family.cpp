// OpenBLAS' single-precision products: the strongest free f32 GEMM on most CPUs, and the one our own is held against.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "gemmtune/core/error.h"
#include "gemmtune/families/family.h"
#include "gemmtune/families/openblas/prepared_sgemm.h"
#include "gemmtune/space/space.h"

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

class OpenblasFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "openblas"; }

  std::string version() const override { return openblas::library_version(); }

  Support supports(const Problem& problem, const DeviceInfo& device) const override {
    if (device.kind != DeviceKind::cpu) return {.why_not = "runs on CPUs only"};
    if (!is_f32(problem)) return {.why_not = "multiplies f32 by f32 into f32 only"};
    if (std::max({problem.m, problem.n, problem.k}) > std::numeric_limits<std::int32_t>::max()) {
      return {.why_not = "a size does not fit the library's 32-bit integers"};
    }
    return {};
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    const Space space = space_of(problem, device);
    std::vector<Candidate> all;
    for (const Point& point : space.points()) all.push_back(space.candidate("openblas", point));
    if (!all.empty()) all.front().is_default = true;
    return all;
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Candidate& candidate,
                                        const DeviceInfo& device) const override {
    if (const Support support = supports(problem, device); !support) {
      fail(ErrorCode::unsupported, "openblas: {}", support.why_not);
    }
    const Space space = space_of(problem, device);
    const std::optional<Point> point = space.parse(candidate.name);
    if (!point) fail(ErrorCode::unsupported, "openblas has no kernel '{}'", candidate.name);
    const std::string why = space.why_not(*point);
    if (!why.empty()) fail(ErrorCode::unsupported, "{}: {}", candidate.name, why);
    return openblas::prepare_sgemm(
        {.problem = problem, .call = static_cast<Call>((*point)["call"]), .threads = static_cast<int>((*point)["t"])});
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_openblas_family() { return std::make_unique<OpenblasFamily>(); }

}  // namespace gemmtune
