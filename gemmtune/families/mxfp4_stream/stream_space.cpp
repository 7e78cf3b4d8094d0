#include "gemmtune/families/mxfp4_stream/stream_space.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace gemmtune::mxfp4_stream {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t most_skinny_rows = 64;
constexpr std::int64_t most_fused_rows = 512;
constexpr const char* idle = "multiprocessors would be idle";
constexpr const char* in_flight = "too few or too many bytes on their way";
constexpr const char* other_rows = "another tile suits the rows of A";
constexpr const char* no_kernel = "no such kernel";
constexpr const char* short_k = "K is too short for so many parts";

std::string why_not(const Problem& problem, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  if (!is_mxfp4(problem.a) || !is_mxfp4(problem.w)) return "multiplies MXFP4 by MXFP4 only";
  if (!problem.packed) return "lays the weights out anew once, so it needs packed weights";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  return "";
}

/// The least that takes all rows of A, or a large one where they are more.
bool suits_rows(const Problem& problem, const Values& choices, std::int64_t rows) {
  const auto least = std::ranges::find_if(choices, [&](std::int64_t choice) { return choice >= problem.m; });
  return least == choices.end() ? rows >= 64 : rows == *least;
}

std::int64_t units_of(const Problem& problem) { return (problem.k + stream_unit_k - 1) / stream_unit_k; }

/// Bytes of W on their way to a multiprocessor: fewer do not fill the memory's pipe, more only stand in A's way.
bool has_enough_in_flight(const Problem& problem, const StreamCut& cut, std::int64_t bytes) {
  const auto there_are = cut.row_groups * stream_unit_bytes * (units_of(problem) + cut.cluster - 1) / cut.cluster;
  return bytes >= std::min<std::int64_t>(48 << 10, there_are) && bytes <= 112 << 10;
}

bool splits_well(const Problem& problem, std::int64_t parts) { return parts == 1 || units_of(problem) >= 2 * parts; }

/// Of multiprocessors and turns, the share that works.
double share(const Problem& problem, const StreamCut& cut, std::int64_t multiprocessors) {
  const auto tiles = stream_tiles(problem, cut);
  const auto clusters = std::max<std::int64_t>(multiprocessors / cut.cluster, 1);
  const auto turns = (tiles + clusters - 1) / clusters;
  return static_cast<double>(tiles * cut.cluster) / static_cast<double>(turns * multiprocessors);
}

/// As large a part works as with nearly any other cluster that there is a kernel for. Memory is shared by those that
/// do, so it need not be all.
bool fills_device(const Problem& problem, const StreamCut& cut, std::int64_t multiprocessors,
                  const std::function<bool(std::int64_t cluster)>& is_possible) {
  double best = 0;
  for (const std::int64_t cluster : {1, 2, 4, 8}) {
    const StreamCut other{.rows_a = cut.rows_a, .row_groups = cut.row_groups, .cluster = cluster};
    if (splits_well(problem, cluster) && is_possible(cluster))
      best = std::max(best, share(problem, other, multiprocessors));
  }
  return share(problem, cut, multiprocessors) >= 0.75 * best;
}

/// More converting warps than two are for tiles that have more for them to do, which then need them.
bool converts_well(const StreamTile& tile) {
  if (tile.rows_a <= 8) return tile.converters == 2;
  return tile.rows_a <= 16 || tile.converters == 6;
}

template <typename Tile>
Constraint rule(const char* reason, Tile (*tile_of)(const Point&), std::function<bool(const Tile&)> holds) {
  return {reason, [=](const Point& point) { return holds(tile_of(point)); }};
}

}  // namespace

std::string why_not_skinny(const Problem& problem, const DeviceInfo& device) {
  if (auto why = why_not(problem, device); !why.empty()) return why;
  if (problem.m > most_skinny_rows) return "is for up to 64 rows of A";
  return why_no_stream(problem, {});
}

std::string why_not_fused(const Problem& problem, const DeviceInfo& device) {
  if (auto why = why_not(problem, device); !why.empty()) return why;
  if (problem.m > most_fused_rows) return "is for up to 512 rows of A";
  return why_no_folded_stream(problem, {});
}

// What was fastest on an H100 stands in front.

Space skinny_space(const Problem& problem, const DeviceInfo& device) {
  const Values rows{8, 16, 32, 64};
  const auto rule = [](const char* reason, std::function<bool(const StreamTile&)> holds) {
    return mxfp4_stream::rule<StreamTile>(reason, skinny_tile, std::move(holds));
  };
  return {"mxfp4_skinny",
          {numeric_axis("n", rows), numeric_axis("r", {1, 2}), numeric_axis("q", {3, 2, 4, 1}),
           numeric_axis("c", {1, 2, 4, 8}), numeric_axis("s", {3, 2, 4, 6}), numeric_axis("v", {6, 2})},
          {rule(no_kernel, [=](const StreamTile& t) { return why_no_stream(problem, t).empty(); }),
           rule(other_rows, [=](const StreamTile& t) { return suits_rows(problem, rows, t.rows_a); }),
           rule(in_flight,
                [=](const StreamTile& t) {
                  const auto bytes = t.row_groups * t.k_groups * t.stages * stream_unit_bytes;
                  return has_enough_in_flight(problem, t.cut(), bytes);
                }),
           rule(short_k, [=](const StreamTile& t) { return splits_well(problem, t.cluster * t.k_groups); }),
           rule(idle,
                [=](StreamTile t) {
                  return fills_device(problem, t.cut(), device.cu_num, [=](std::int64_t cluster) mutable {
                    t.cluster = cluster;
                    return why_no_stream(problem, t).empty();
                  });
                }),
           rule("there is too little or too much to convert", converts_well)}};
}

Space fused_space(const Problem& problem, const DeviceInfo& device) {
  const Values rows{16, 32, 64, 96, 128};
  const auto rule = [](const char* reason, std::function<bool(const FoldedStreamTile&)> holds) {
    return mxfp4_stream::rule<FoldedStreamTile>(reason, fused_tile, std::move(holds));
  };
  return {"mxfp4_fused",
          {numeric_axis("n", rows), numeric_axis("r", {2, 3, 1}), numeric_axis("c", {2, 1, 4, 8}),
           numeric_axis("s", {8, 10, 7, 12})},
          {rule(no_kernel, [=](const FoldedStreamTile& t) { return why_no_folded_stream(problem, t).empty(); }),
           rule(other_rows, [=](const FoldedStreamTile& t) { return suits_rows(problem, rows, t.rows_a); }),
           rule(in_flight,
                [=](const FoldedStreamTile& t) {
                  return has_enough_in_flight(problem, t.cut(), t.row_groups * t.stages * stream_brick_bytes);
                }),
           rule(short_k, [=](const FoldedStreamTile& t) { return splits_well(problem, t.cluster); }),
           rule(idle, [=](FoldedStreamTile t) {
             return fills_device(problem, t.cut(), device.cu_num, [=](std::int64_t cluster) mutable {
               t.cluster = cluster;
               return why_no_folded_stream(problem, t).empty();
             });
           })}};
}

StreamTile skinny_tile(const Point& point) {
  return {.rows_a = point["n"],
          .row_groups = point["r"],
          .k_groups = point["q"],
          .cluster = point["c"],
          .stages = point["s"],
          .converters = point["v"]};
}

FoldedStreamTile fused_tile(const Point& point) {
  return {.rows_a = point["n"], .row_groups = point["r"], .cluster = point["c"], .stages = point["s"]};
}

}  // namespace gemmtune::mxfp4_stream
