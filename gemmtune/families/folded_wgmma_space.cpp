#include "gemmtune/families/folded_wgmma_space.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune::folded_wgmma {
namespace {

constexpr std::int64_t stage_choices[]{3, 4, 5, 6, 8, 10};

/// Whether the pipeline is as long as memory allows. Shorter ones were never faster, unless they leave memory for more
/// of C, so that warps need not wait at the end of a tile.
bool has_most_stages(const WgmmaTile& tile) {
  return std::ranges::none_of(stage_choices, [tile](std::int64_t stages) {
    WgmmaTile longer = tile;
    longer.stages = stages;
    return stages > tile.stages && wgmma_shared_bytes(longer) <= most_wgmma_shared_bytes &&
           wgmma_staging(longer) == wgmma_staging(tile);
  });
}

/// Whether each cluster has two blocks to share a tile. Near the edge of C there may be only one.
bool fills_cluster(const Problem& problem, const WgmmaTile& tile) {
  return (tile.cluster_m == 1 || problem.m > tile.block_m) && (tile.cluster_n == 1 || problem.n > tile.block_n);
}

/// Whether the size of groups matters: there must be more tiles along that side than the smaller group holds.
bool group_matters(const Problem& problem, const WgmmaTile& tile) {
  const bool along_m = tile.order == TileOrder::along_m;
  const auto size = along_m ? problem.m : problem.n;
  const auto step = along_m ? tile.block_m * tile.cluster_m : tile.block_n * tile.cluster_n;
  const auto tiles = ceil_div(size, step);
  return tile.group == 8 ? tile.order == TileOrder::along_m || tiles > 2 : tiles > 8;
}

std::int64_t blocks_of(const Problem& problem, const WgmmaTile& tile) {
  return wgmma_tiles(problem, tile) * tile.cluster_m * tile.cluster_n;
}

/// Splitting K is for products with too few tiles for all multiprocessors. Each part needs at least four steps.
bool split_helps(const Problem& problem, const WgmmaTile& tile, std::int64_t multiprocessors) {
  if (tile.split_k == 1) return true;
  return blocks_of(problem, tile) * tile.split_k <= 2 * multiprocessors && problem.k >= tile.split_k * 512;
}

/// Smaller tiles are only for products that leave multiprocessors idle with larger ones.
bool is_not_too_small(const Problem& problem, const WgmmaTile& tile, std::int64_t multiprocessors) {
  const WgmmaTile large{.block_m = 128, .block_n = 256};
  const bool is_large = tile.block_m * tile.block_n >= 128 * (tile.promote_k > 0 ? 128 : 256);
  return is_large || wgmma_tiles(problem, large) < 2 * multiprocessors;
}

/// Whether the tile is not larger than the matrix needs: half of it, along M or along N, must not cover the matrix.
bool is_not_too_large(const Problem& problem, const WgmmaTile& tile) {
  return (tile.block_m == 128 || problem.m > 128) && (tile.block_n <= 64 || problem.n > tile.block_n / 2);
}

Constraint rule(std::string reason, const Problem& problem, bool (*holds)(const Problem&, const WgmmaTile&)) {
  return {std::move(reason), [problem, holds](const Point& point) { return holds(problem, tile_of(point)); }};
}

}  // namespace

std::string family_name(FoldType type) { return type == FoldType::int8 ? "mxfp4_int8" : "mxfp4_fp8"; }

std::string why_unsupported(const Problem& problem, FoldType type, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  if (!is_mxfp4(problem.a) || !is_mxfp4(problem.w)) return "multiplies MXFP4 by MXFP4 only";
  if (!problem.packed) return "folds the weights once, so it needs packed weights";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  const bool int8 = type == FoldType::int8;
  return why_no_wgmma({problem, type}, {.block_n = 128, .promote_k = int8 ? 0 : 128});
}

Space space_of(const Problem& problem, FoldType type, const DeviceInfo& device) {
  const bool int8 = type == FoldType::int8;
  const auto promotions = int8 ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{256, 128, 512};
  std::vector<Axis> axes{
      label_axis("base", int8 ? std::vector<std::string>{"row"} : std::vector<std::string>{"row", "chunk"}),
      numeric_axis("m", {128, 256}),
      numeric_axis("n", {256, 192, 128, 64}),
      numeric_axis("s", {std::begin(stage_choices), std::end(stage_choices)}),
      numeric_axis("cm", {2, 1}),
      numeric_axis("cn", {1, 2}),
      numeric_axis("g", {8, 16}),
      label_axis("along", {"alongm", "alongn"}),
      numeric_axis("p", promotions),
      numeric_axis("k", {1, 2, 3, 4, 6, 8, 12, 16, 24, 32})};
  std::vector<Constraint> constraints{
      {"no such kernel",
       [=](const Point& point) { return why_no_wgmma(product_of(problem, type, point), tile_of(point)).empty(); }},
      {"clusters have one or two blocks", [](const Point& point) { return point["cm"] * point["cn"] <= 2; }},
      {"more stages fit", [](const Point& point) { return has_most_stages(tile_of(point)); }},
      rule("one block would be idle in each cluster", problem, fills_cluster),
      rule("the tile is larger than the matrix", problem, is_not_too_large),
      rule("there are too few tiles for such groups", problem, group_matters),
      {"larger tiles keep all multiprocessors busy",
       [=](const Point& point) { return is_not_too_small(problem, tile_of(point), device.cu_num); }},
      {"parts along K are for few tiles, and four steps of 128 each",
       [=](const Point& point) { return split_helps(problem, tile_of(point), device.cu_num); }}};
  return {family_name(type), std::move(axes), std::move(constraints)};
}

WgmmaTile tile_of(const Point& point) {
  return {.block_m = point["m"],
          .block_n = point["n"],
          .stages = point["s"],
          .cluster_m = point["cm"],
          .cluster_n = point["cn"],
          .group = point["g"],
          .order = point.label("along") == "alongm" ? TileOrder::along_m : TileOrder::along_n,
          .promote_k = point["p"],
          .split_k = point["k"]};
}

WgmmaProduct product_of(const Problem& problem, FoldType type, const Point& point) {
  return {problem, type, point.label("base") == "row" ? FoldBase::row : FoldBase::chunk};
}

}  // namespace gemmtune::folded_wgmma
