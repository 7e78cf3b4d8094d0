// Dot products over weights as they are stored: the path for one to sixteen rows.
#include <algorithm>

#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/float_space.h"
#include "gemmtune/families/cpu_tile/float_stream_gemm.h"
#include "gemmtune/families/cpu_tile/path.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t most_rows = 16;

StreamShape shape_of(const Point& point) { return {.rows = point["m"], .columns = point["n"], .unroll = point["u"]}; }

bool has_kernel(const Point& point) {
  return float_kernels(point.label("isa")).stream(Source::f32, shape_of(point)) != nullptr;
}

/// How often the weights pass through the L1 cache.
std::int64_t passes(const Point& point, const Problem& problem) { return ceil_div(problem.m, point["m"]); }

std::vector<Constraint> stream_constraints(const Problem& problem) {
  return {
      {"no kernel has this many rows and columns at a time", has_kernel},
      {"fewer than four independent sums leave multiply-adds waiting for each other",
       [](const Point& p) { return p["m"] * p["n"] * p["u"] >= 4; }},
      {"half as many rows at a time hold all rows", [problem](const Point& p) { return p["m"] < 2 * problem.m; }},
      {"a kernel with more rows at a time needs one pass over the weights only",
       [problem](const Point& p) { return problem.m > 4 || passes(p, problem) == 1; }},
      {"more than two passes over the weights", [problem](const Point& p) { return passes(p, problem) <= 2; }},
      {"more columns at a time than N", [problem](const Point& p) { return p["n"] == 1 || p["n"] <= problem.n; }},
  };
}

class StreamPath final : public KernelPath {
 public:
  Support supports(const Problem& problem, const DeviceInfo&) const override {
    if (std::string why = why_not_float(problem); !why.empty()) return {std::move(why)};
    if (problem.m > most_rows) return {"streaming weights is for 16 rows at most"};
    return {};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<Constraint> all = isa_constraints(problem, device);
    for (auto& more : {stream_constraints(problem), thread_constraints(problem, device)}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return Space("cpu_tile_stream_" + types_label(problem),
                 {isa_axis(), numeric_axis("m", {8, 4, 2, 1}), numeric_axis("n", {2, 4, 1}),
                  numeric_axis("u", {4, 2, 1}), thread_axis(device.cu_num)},
                 all);
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point, const DeviceInfo&) const override {
    return make_stream_gemm(problem, float_kernels(point.label("isa")), shape_of(point), point["t"]);
  }
};

}  // namespace

std::unique_ptr<KernelPath> make_stream_path() { return std::make_unique<StreamPath>(); }

}  // namespace gemmtune::cpu_tile
