// Float tiles over packed panels: the path for many rows, and also for few rows if weights are packed in advance.
#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/float_space.h"
#include "gemmtune/families/cpu_tile/float_tile_gemm.h"
#include "gemmtune/families/cpu_tile/isa.h"
#include "gemmtune/families/cpu_tile/path.h"

namespace gemmtune::cpu_tile {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t k_step = 32;  // a multiple of every width and, for pairs, of AMX's depth

/// From this many rows on, A does not fit the L2 cache, and blocks of few columns would read it too often.
constexpr std::int64_t many_rows = 192;

Values without_repeats(const Values& values) {
  Values unique;
  for (const std::int64_t value : values) {
    if (std::find(unique.begin(), unique.end(), value) == unique.end()) unique.push_back(value);
  }
  return unique;
}

const FloatKernels& kernels_of(const Point& point) { return float_kernels(point.label("isa")); }

std::int64_t tallest(const Point& point, const Problem& problem) {
  return std::min(problem.m, kernels_of(point).most_rows(point["n"]));
}

/// The tallest tiles that fit the registers, for each instruction set and width in vectors.
Values tile_rows(const Problem& problem, const DeviceInfo& device) {
  Values rows;
  for (const std::string& isa : usable_isas(problem, device)) {
    for (const std::int64_t vectors : {1, 2, 3, 4}) {
      const std::int64_t most = std::min(problem.m, float_kernels(isa).most_rows(vectors));
      if (most > 0) rows.push_back(most);
    }
  }
  return without_repeats(rows);
}

Values k_blocks(const Problem& problem) {
  const std::int64_t all = round_up(problem.k, k_step);
  return without_repeats({std::min<std::int64_t>(256, all), std::min<std::int64_t>(512, all)});
}

std::vector<Axis> axes(const Problem& problem, const DeviceInfo& device) {
  return {isa_axis(),
          numeric_axis("n", {2, 3, 4, 1}),
          numeric_axis("m", tile_rows(problem, device)),
          numeric_axis("kc", k_blocks(problem)),
          numeric_axis("nc", problem.m < many_rows ? Values{64, 256} : Values{256, 1024}),
          thread_axis(device.cu_num),
          label_axis("w", problem.packed ? std::vector<std::string>{"panel", "direct"}
                                         : std::vector<std::string>{"direct", "panel"})};
}

/// The first constraints leave the points that some kernel can run. The others reduce their number.
std::vector<Constraint> tile_constraints(const Problem& problem) {
  return {
      {"no kernel has a tile of this height and width",
       [](const Point& p) { return p["m"] >= 1 && p["m"] <= kernels_of(p).most_rows(p["n"]); }},
      {"a higher tile of the same width fits the registers",
       [problem](const Point& p) { return p["m"] >= tallest(p, problem); }},
      {"the tile is higher than M", [problem](const Point& p) { return p["m"] <= problem.m; }},
      {"the tile is a vector or more wider than N",
       [problem](const Point& p) { return (p["n"] - 1) * kernels_of(p).width < problem.n; }},
      {"a tile of one vector across reads A too often",
       [problem](const Point& p) {
         return p["n"] > 1 || kernels_of(p).depth_step > 1 || problem.n <= kernels_of(p).width;
       }},
  };
}

std::vector<Constraint> block_constraints(const Problem& problem) {
  return {
      {fmt::format("the K block must be a positive multiple of {}", k_step),
       [](const Point& p) { return p["kc"] > 0 && p["kc"] % k_step == 0; }},
      {"the K block is larger than K", [problem](const Point& p) { return p["kc"] < problem.k + k_step; }},
      {"the N block must not be empty", [](const Point& p) { return p["nc"] > 0; }},
      {"with 32 rows or fewer, an N block above 64 columns leaves the cache and gains nothing",
       [problem](const Point& p) { return problem.m > 32 || p["nc"] <= 64; }},
      {"the N block is wider than N", [problem](const Point& p) { return p["nc"] <= 256 || p["nc"] <= problem.n; }},
      {"weights are packed ahead if and only if the problem says so",
       [problem](const Point& p) { return (p.label("w") == "panel") == problem.packed; }},
  };
}

class FloatPath final : public KernelPath {
 public:
  Support supports(const Problem& problem, const DeviceInfo&) const override { return {why_not_float(problem)}; }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<Constraint> all = isa_constraints(problem, device);
    for (auto& more : {tile_constraints(problem), block_constraints(problem), thread_constraints(problem, device)}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return Space("cpu_tile_" + types_label(problem), axes(problem, device), all);
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point, const DeviceInfo&) const override {
    if (point.label("isa") == "amxbf16" && !allow_amx_tiles()) {
      fail(ErrorCode::unsupported, "the system does not let this process use AMX tiles");
    }
    const TileChoice choice{.rows = point["m"],
                            .vectors = point["n"],
                            .k_block = point["kc"],
                            .n_block = point["nc"],
                            .threads = point["t"]};
    return make_tile_gemm(problem, kernels_of(point), choice,
                          point.label("w") == "panel" ? Weights::panel : Weights::direct);
  }
};

}  // namespace

std::unique_ptr<KernelPath> make_float_path() { return std::make_unique<FloatPath>(); }

}  // namespace gemmtune::cpu_tile
