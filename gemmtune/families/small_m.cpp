#include "gemmtune/families/small_m.h"

#include <algorithm>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune::small_m {
namespace {

std::int64_t units_of(const Problem& problem) { return ceil_div(problem.k, small_m_unit_k); }

/// The share of multiprocessors that are busy, averaged over the rounds of tiles.
double share(const Problem& problem, const SmallMCut& cut, std::int64_t multiprocessors) {
  const auto tiles = small_m_tiles(problem, cut);
  const auto clusters = std::max<std::int64_t>(multiprocessors / cut.cluster, 1);
  const auto turns = ceil_div(tiles, clusters);
  return static_cast<double>(tiles * cut.cluster) / static_cast<double>(turns * multiprocessors);
}

}  // namespace

std::string why_not(const Problem& problem, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  if (!is_mxfp4(problem.a) || !is_mxfp4(problem.w)) return "multiplies MXFP4 by MXFP4 only";
  if (!problem.packed) return "lays the weights out anew once, so it needs packed weights";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  return "";
}

bool suits_rows(const Problem& problem, const std::vector<std::int64_t>& choices, std::int64_t rows) {
  const auto least = std::ranges::find_if(choices, [&](std::int64_t choice) { return choice >= problem.m; });
  return least == choices.end() ? rows >= 64 : rows == *least;
}

bool has_enough_in_flight(const Problem& problem, const SmallMCut& cut, std::int64_t bytes) {
  const auto there_are = cut.row_groups * small_m_unit_bytes * (units_of(problem) + cut.cluster - 1) / cut.cluster;
  return bytes >= std::min<std::int64_t>(48 << 10, there_are) && bytes <= 112 << 10;
}

bool splits_well(const Problem& problem, std::int64_t parts) { return parts == 1 || units_of(problem) >= 2 * parts; }

bool fills_device(const Problem& problem, const SmallMCut& cut, std::int64_t multiprocessors,
                  const std::function<bool(std::int64_t cluster)>& is_possible) {
  double best = 0;
  for (const std::int64_t cluster : {1, 2, 4, 8}) {
    const SmallMCut other{.rows_a = cut.rows_a, .row_groups = cut.row_groups, .cluster = cluster};
    if (splits_well(problem, cluster) && is_possible(cluster))
      best = std::max(best, share(problem, other, multiprocessors));
  }
  return share(problem, cut, multiprocessors) >= 0.75 * best;
}

}  // namespace gemmtune::small_m
