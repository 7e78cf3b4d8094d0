#include "gemmtune/families/w4_space.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "gemmtune/families/cluster_waves.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/w4/w4_bits.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;
using Tile = W4Tile;

const Values& token_choices() {
  static const Values choices{8, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  return choices;
}

std::int64_t chunks_of(const Problem& problem) { return ceil_div(problem.k, w4_brick_k); }

/// The smallest tile that holds all rows of A. With more than 128 of them, weights may also be expanded several times.
bool suits_tokens(const Problem& problem, const Tile& tile) {
  const auto least = std::ranges::find_if(token_choices(), [&](auto choice) { return choice >= problem.m; });
  const auto most = least == token_choices().end() ? token_choices().back() : *least;
  return tile.tokens == most || (problem.m > 128 && tile.tokens >= 128 && tile.tokens < most);
}

/// Each warpgroup needs two chunks of its part of K at least, if K is split at all.
bool splits_well(const Problem& problem, const Tile& tile) {
  return tile.parts() == 1 || chunks_of(problem) >= 2 * tile.parts();
}

ClusterGrid grid_of(const Problem& problem, const Tile& tile) {
  return {.clusters = w4_tiles(problem, tile),
          .cluster = tile.cluster(),
          .blocks_at_once = w4_blocks_at_once(problem, tile)};
}

/// Splitting K costs an exchange of sums, and clusters that have to wait for others cost as much as all of those.
bool splits_for_one_wave(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  return tile.k_blocks == 1 || is_one_wave(grid_of(problem, tile), multiprocessors);
}

/// Many rows of A are for blocks of two large warpgroups, as far as there are rows of W for them.
bool is_large_enough(const Problem& problem, const Tile& tile) { return problem.m <= 128 || tile.row_groups == 2; }

/// Whether nearly as many multiprocessors work as with the best other way of dividing W. Memory's bandwidth is shared,
/// so not all of them have to.
bool fills_device(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  double best = 0;
  for (const std::int64_t row_groups : {1, 2, 4})
    for (const std::int64_t k_blocks : {1, 2, 4, 8}) {
      const Tile other{.tokens = tile.tokens, .row_groups = row_groups, .k_blocks = k_blocks, .stages = 3};
      if (why_no_w4(problem, other).empty() && is_large_enough(problem, other) && splits_well(problem, other) &&
          splits_for_one_wave(problem, other, multiprocessors))
        best = std::max(best, share_of_device(grid_of(problem, other), multiprocessors));
    }
  return share_of_device(grid_of(problem, tile), multiprocessors) >= 0.7 * best;
}

/// The ring is no longer than the block's part of K. The rings of a multiprocessor hold 24 to 112 KB of W, or as much
/// as there is, unless A takes the room.
bool has_useful_ring(const Problem& problem, const Tile& tile) {
  const auto brick = w4_brick_bytes(static_cast<std::int32_t>(w4_scale_k(problem)));
  const auto chunks = ceil_div(chunks_of(problem), tile.k_blocks);
  Tile longer = tile;
  longer.stages += tile.k_groups;
  const bool is_longest = !why_no_w4(problem, longer).empty();
  if (tile.stages > 4 && tile.stages >= chunks + tile.k_groups) return false;
  if (tile.tokens >= 128) return is_longest || tile.stages == 4;
  const auto bytes = w4_blocks_at_once(problem, tile) * tile.rows() / w4_brick_rows * brick;  // of a stage
  const auto least = std::min<std::int64_t>(24 << 10, (chunks + tile.k_groups) * bytes);
  return tile.stages * bytes <= 112 << 10 && (is_longest || tile.stages * bytes >= least);
}

/// With more tokens, the sums that warpgroups exchange are too many.
bool k_groups_help(const Problem&, const Tile& tile) { return tile.k_groups == 1 || tile.tokens <= 32; }

/// Two groups of 64 rows share what a warpgroup reads of A, and let two large blocks have one multiprocessor.
bool subtiles_help(const Problem&, const Tile& tile) { return tile.subtiles == 1 || tile.row_groups == 2; }

/// Blocks that share A read it less often from the L2 cache, which matters only if A is not small beside W's tile.
bool sharing_helps(const Problem& problem, const Tile& tile) {
  return tile.sharers == 1 ||
         (tile.tokens >= 32 && tile.tokens * 8 >= tile.rows() && problem.n > tile.rows() && tile.k_groups == 1);
}

std::string why_not_types(W4Activations activations, const Problem& problem) {
  if (activations == W4Activations::e4m3) {
    if (problem.a.type != DType::e4m3 || (problem.a.scaling != Scaling::row && problem.a.scaling != Scaling::tensor))
      return "multiplies A in e4m3 with scales of rows or of whole matrices only";
    return is_mxfp4(problem.w) ? "" : "multiplies weights in MXFP4 only";
  }
  if (problem.a != Side{.type = DType::bf16, .scaling = Scaling::none}) return "multiplies A in bf16 only";
  return is_mxfp4(problem.w) || is_nvfp4(problem.w) ? "" : "multiplies weights in MXFP4 or NVFP4 only";
}

Constraint rule(const char* reason, std::function<bool(const Tile&)> holds) {
  return {reason, [=](const Point& point) { return holds(w4_tile(point)); }};
}

}  // namespace

std::string_view w4_family_name(W4Activations activations) {
  return activations == W4Activations::e4m3 ? "a8w4_wgmma" : "a16w4_wgmma";
}

std::string why_not_w4(W4Activations activations, const Problem& problem, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  if (auto why = why_not_types(activations, problem); !why.empty()) return why;
  if (!problem.packed) return "lays the weights out anew once, so it needs packed weights";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  return why_no_w4(problem, {});
}

// On each axis, what was or should be fastest comes first. With few tokens it was blocks with few rows of W, K dealt
// out to their warpgroups, and long rings (docs/results/h200-w4.md).
Space w4_space(const Problem& problem, const DeviceInfo& device) {
  const auto sms = device.cu_num;
  const bool few_tokens = problem.m <= 32;
  const bool many_tokens = problem.m > 128;
  const auto with_problem = [&](const char* reason, bool (*holds)(const Problem&, const Tile&)) {
    return rule(reason, [=](const Tile& t) { return holds(problem, t); });
  };
  const auto with_device = [&](const char* reason, bool (*holds)(const Problem&, const Tile&, std::int64_t)) {
    return rule(reason, [=](const Tile& t) { return holds(problem, t, sms); });
  };
  const auto activations = is_w4_fp8(problem) ? W4Activations::e4m3 : W4Activations::bf16;
  return {std::string(w4_family_name(activations)),
          {numeric_axis("n", many_tokens ? Values{256, 128, 192} : token_choices()),
           numeric_axis("r", few_tokens ? Values{1, 2, 4, 3} : Values{2, 4, 1, 3}), numeric_axis("u", {1, 2}),
           numeric_axis("q", few_tokens ? Values{2, 1, 4} : Values{1, 2, 4}),
           numeric_axis("c", many_tokens ? Values{1, 2, 4, 8} : Values{2, 4, 1, 8, 3}),
           numeric_axis("x", many_tokens ? Values{2, 1} : Values{1, 2}),
           numeric_axis("s", few_tokens                          ? Values{12, 8, 6, 4, 3}
                             : many_tokens && is_w4_fp8(problem) ? Values{5, 4, 6, 3, 8, 12}
                                                                 : Values{4, 6, 3, 8, 12})},
          {rule("no such kernel", [=](const Tile& t) { return why_no_w4(problem, t).empty(); }),
           with_problem("another tile suits the rows of A", suits_tokens),
           with_problem("K is too short for so many parts", splits_well),
           with_problem("large tiles suit so many rows of A", is_large_enough),
           with_problem("another ring suits K", has_useful_ring),
           with_problem("too many sums would be exchanged", k_groups_help),
           with_problem("other blocks have as many rows of W", subtiles_help),
           with_problem("A is too small to be shared", sharing_helps),
           with_device("some clusters would wait for others", splits_for_one_wave),
           with_device("multiprocessors would be idle", fills_device)}};
}

W4Tile w4_tile(const Point& point) {
  return {.tokens = point["n"],
          .row_groups = point["r"],
          .subtiles = point["u"],
          .k_groups = point["q"],
          .k_blocks = point["c"],
          .sharers = point["x"],
          .stages = point["s"]};
}

}  // namespace gemmtune
