#include "gemmtune/families/fp8_block/block_space.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "gemmtune/families/block_scaled_fp8.h"
#include "gemmtune/families/fp8_block/block_cost.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;
using Tile = BlockTile;

constexpr std::int64_t fewest_rows = 65;  // of A
constexpr double worth_a_try = 1.2;       // estimated time, compared with the best

const Values& row_choices() {
  static const Values choices{256, 128, 64};
  return choices;
}
const Values& column_choices() {
  static const Values choices{128, 192, 256, 160, 96, 64};
  return choices;
}
const Values& stage_choices() {
  static const Values choices{8, 7, 6, 5, 4, 3};
  return choices;
}
const Values& split_choices() {
  static const Values choices{1, 2, 3, 4, 6, 8, 12, 16};
  return choices;
}
constexpr BlockWay ways[]{BlockWay::one, BlockWay::ahead, BlockWay::two};
const std::vector<std::string>& way_labels() {
  static const std::vector<std::string> labels{"one", "ahead", "two"};
  return labels;
}

/// Half of the columns for each warpgroup is for tiles of few rows, and for those that are as wide as two others.
bool divides_usefully(const Problem&, const Tile& tile) {
  return tile.row_groups == 2 || tile.block_m == 64 || (tile.block_n == 256 && block_sums_in_flight(tile.way) == 1);
}

/// Whether no longer ring fits. With one sum in flight, a ring that leaves more memory for C is also tried.
bool has_most_stages(const Problem&, const Tile& tile) {
  return std::ranges::none_of(stage_choices(), [tile](std::int64_t stages) {
    Tile longer = tile;
    longer.stages = stages;
    return stages > tile.stages && block_shared_bytes(longer) <= most_wgmma_shared_bytes &&
           (block_sums_in_flight(tile.way) == 2 || block_staging(longer) == block_staging(tile));
  });
}

/// Whether each cluster has two blocks to share a tile. Near the edge of C there may be only one.
bool fills_cluster(const Problem& problem, const Tile& tile) {
  return tile.cluster() <= 2 && (tile.cluster_m == 1 || problem.m > tile.block_m) &&
         (tile.cluster_n == 1 || problem.n > tile.block_n);
}

/// Half of the tile must not cover the matrix, unless there are no fewer columns.
bool is_not_too_large(const Problem& problem, const Tile& tile) {
  const std::int64_t fewest_columns = tile.row_groups == 1 ? 128 : 64;
  return problem.m > tile.block_m / 2 && (problem.n > tile.block_n / 2 || tile.block_n == fewest_columns);
}

/// Whether the size of groups matters: there must be more tiles along that side than the smaller group holds.
bool group_matters(const Problem& problem, const Tile& tile) {
  const bool along_m = tile.order == TileOrder::along_m;
  const auto tiles =
      along_m ? ceil_div(problem.m, tile.block_m * tile.cluster_m) : ceil_div(problem.n, tile.block_n * tile.cluster_n);
  return tile.group == 8 ? along_m || tiles > 2 : tiles > 8;
}

Tile divided(Tile tile, std::int64_t parts) {
  tile.split_k = parts;
  return tile;
}

/// Parts have four steps of 128 at least.
bool is_split(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  return tile.split_k == 1 ||
         (problem.k >= tile.split_k * 512 && block_rounds(problem, tile, multiprocessors).divided() > 0);
}

/// Dividing K must pay, and other numbers of parts must not be much better.
bool split_helps(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  if (tile.split_k == 1) return true;
  if (!is_split(problem, tile, multiprocessors)) return false;
  const auto clocks = block_clocks(problem, tile, multiprocessors);
  return std::ranges::all_of(split_choices(), [&](std::int64_t parts) {
    const Tile other = divided(tile, parts);
    const double allowed = parts == 1 ? 0.98 : 1.03;
    return !is_split(problem, other, multiprocessors) ||
           clocks <= allowed * block_clocks(problem, other, multiprocessors);
  });
}

/// Blocks must have several tiles if they begin with the next one before they write C.
bool has_next_tile(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  if (tile.way != BlockWay::ahead) return true;
  const auto rounds = block_rounds(problem, tile, multiprocessors);
  return rounds.whole + rounds.divided() * tile.split_k > rounds.clusters;
}

/// The least estimated time of all tiles.
double best_clocks(const Problem& problem, std::int64_t multiprocessors) {
  double best = std::numeric_limits<double>::max();
  for (const auto m : row_choices())
    for (const auto n : column_choices())
      for (const auto split_k : split_choices()) {
        const Tile tile{.block_m = m, .block_n = n, .row_groups = m == 64 ? 1 : 2, .stages = 3, .split_k = split_k};
        if (why_no_block_gemm(problem, tile, multiprocessors).empty() && is_not_too_large(problem, tile) &&
            split_helps(problem, tile, multiprocessors))
          best = std::min(best, block_clocks(problem, tile, multiprocessors));
      }
  return best;
}

Constraint rule(const char* reason, std::function<bool(const Tile&)> holds) {
  return {reason, [=](const Point& point) { return holds(block_tile(point)); }};
}

}  // namespace

std::string why_not_block(const Problem& problem, const DeviceInfo& device) {
  if (auto why = why_not_block_scaled_fp8(problem, device); !why.empty()) return why;
  if (problem.m < fewest_rows) return "is for more than 64 rows of A";
  return why_no_block_gemm(problem, {.block_m = 128, .block_n = 64}, device.cu_num);
}

// On each axis, what is expected to be fastest for large products comes first.
Space block_space(const Problem& problem, const DeviceInfo& device) {
  const auto sms = device.cu_num;
  const auto with_problem = [&](const char* reason, bool (*holds)(const Problem&, const Tile&)) {
    return rule(reason, [=](const Tile& t) { return holds(problem, t); });
  };
  const double best = best_clocks(problem, sms);
  return {
      "fp8_block",
      {numeric_axis("m", row_choices()), numeric_axis("n", column_choices()), numeric_axis("r", {2, 1}),
       label_axis("way", way_labels()), numeric_axis("s", stage_choices()), numeric_axis("cm", {1, 2}),
       numeric_axis("cn", {2, 1}), numeric_axis("g", {8, 16}), label_axis("along", {"alongm", "alongn"}),
       numeric_axis("k", split_choices())},
      {with_problem("the tile is larger than the matrix", is_not_too_large),
       with_problem("one block would be idle in each cluster", fills_cluster),
       rule("no such kernel", [=](const Tile& t) { return why_no_block_gemm(problem, t, sms).empty(); }),
       with_problem("another way of dividing the tile suits it", divides_usefully),
       with_problem("more stages fit", has_most_stages),
       with_problem("there are too few tiles for such groups", group_matters),
       rule("no block has another tile to begin with", [=](const Tile& t) { return has_next_tile(problem, t, sms); }),
       rule("parts along K are for idle multiprocessors, and four steps of 128 each",
            [=](const Tile& t) { return split_helps(problem, t, sms); }),
       rule("other tiles keep the device busier",
            [=](const Tile& t) { return block_clocks(problem, t, sms) <= worth_a_try * best; })}};
}

BlockTile block_tile(const Point& point) {
  return {.block_m = point["m"],
          .block_n = point["n"],
          .row_groups = point["r"],
          .way = ways[point["way"]],
          .stages = point["s"],
          .cluster_m = point["cm"],
          .cluster_n = point["cn"],
          .group = point["g"],
          .order = point.label("along") == "alongm" ? TileOrder::along_m : TileOrder::along_n,
          .split_k = point["k"]};
}

}  // namespace gemmtune
