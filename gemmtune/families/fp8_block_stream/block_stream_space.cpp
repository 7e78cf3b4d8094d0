#include "gemmtune/families/fp8_block_stream/block_stream_space.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "gemmtune/families/cluster_waves.h"
#include "gemmtune/families/folded_mxfp8.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;
using Tile = BlockStreamTile;

const Values& token_choices() {
  static const Values choices{8, 16, 24, 32, 48, 64, 96, 128};
  return choices;
}

bool suits_tokens(const Problem& problem, const Tile& tile) {
  const auto least = std::ranges::find_if(token_choices(), [&](auto choice) { return choice >= problem.m; });
  return tile.tokens == *least;
}

std::int64_t chunks_of_block(const Problem& problem, const Tile& tile) {
  return ceil_div(problem.k / 128, tile.k_blocks);
}

/// Each warpgroup needs two chunks of its part of K at least, if K is split at all.
bool splits_well(const Problem& problem, const Tile& tile) {
  return tile.parts() == 1 || problem.k / 128 >= 2 * tile.parts();
}

ClusterGrid grid_of(const Problem& problem, const Tile& tile) {
  return {.clusters = block_stream_blocks(problem, tile) / tile.cluster(),
          .cluster = tile.cluster(),
          .blocks_at_once = block_stream_blocks_at_once(tile)};
}

/// Splitting K costs an exchange of sums, and clusters that have to wait for others cost as much as all of those.
bool splits_for_one_wave(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  return tile.k_blocks == 1 || is_one_wave(grid_of(problem, tile), multiprocessors);
}

/// Whether nearly as many multiprocessors work as with the best other way of dividing W. Memory's bandwidth is shared,
/// so not all of them have to.
bool fills_device(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  double best = 0;
  for (const std::int64_t row_groups : {1, 2, 4})
    for (const std::int64_t k_blocks : {1, 2, 4, 8}) {
      const Tile other{.tokens = tile.tokens, .row_groups = row_groups, .k_blocks = k_blocks, .w_stages = 4};
      if (why_no_block_stream(problem, other).empty() && splits_well(problem, other) &&
          splits_for_one_wave(problem, other, multiprocessors))
        best = std::max(best, share_of_device(grid_of(problem, other), multiprocessors));
    }
  return share_of_device(grid_of(problem, tile), multiprocessors) >= 0.7 * best;
}

/// W's ring is no longer than the block's part of K, and holds 24 to 128 KB, or as much as there is.
bool has_useful_ring(const Problem& problem, const Tile& tile) {
  const auto chunks = chunks_of_block(problem, tile);
  const auto bytes = tile.w_stages * tile.rows() * 128;
  const bool is_shortest = tile.w_stages <= 4;
  if (tile.w_stages < 4 && tile.rows() < 256) return false;
  return (is_shortest || tile.w_stages < chunks + tile.k_groups) && bytes <= 128 << 10 &&
         bytes >= std::min<std::int64_t>(24 << 10, chunks * tile.rows() * 128);
}

/// A is in the L2 cache, so that its ring may be shorter, but must cover that cache's latency.
bool has_useful_a_ring(const Problem& problem, const Tile& tile) {
  if (tile.tokens <= 32) return tile.a_stages == 8;
  if (tile.tokens == 128) return tile.a_stages <= 4;
  return tile.a_stages == 4 || (tile.a_stages == 8 && chunks_of_block(problem, tile) > 4);
}

/// Asking for weights early rarely gains more than a hundredth.
bool asks_usefully(const Problem&, const Tile& tile) {
  return tile.ahead == 0 || (tile.sharers == 1 && tile.subtiles == 1 && tile.k_groups == 1);
}

/// Two groups of 64 rows share what a warpgroup reads of A from shared memory, which matters for many tokens only.
bool subtiles_help(const Problem&, const Tile& tile) { return tile.subtiles == 1 || tile.tokens >= 96; }

/// With more tokens, the sums that four warpgroups exchange are too many.
bool k_groups_help(const Problem&, const Tile& tile) { return tile.k_groups < 4 || tile.tokens <= 32; }

/// Blocks that share A read it less often from the L2 cache, which matters only if A is not small beside W's tile.
bool sharing_helps(const Problem& problem, const Tile& tile) {
  return tile.sharers == 1 || (tile.tokens * 2 >= tile.rows() && problem.n > tile.rows());
}

Constraint rule(const char* reason, std::function<bool(const Tile&)> holds) {
  return {reason, [=](const Point& point) { return holds(block_stream_tile(point)); }};
}

}  // namespace

std::string why_not_block_stream(const Problem& problem, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  const Side a{.type = DType::e4m3, .scaling = Scaling::block_1x128};
  const Side w{.type = DType::e4m3, .scaling = Scaling::block_128x128};
  if (is_mxfp8(problem.a) || is_mxfp8(problem.w)) {
    if (auto why = why_not_folded_mxfp8(problem); !why.empty()) return why;
  } else if (problem.a != a || problem.w != w) {
    return "multiplies e4m3 with 1x128 scales by e4m3 with 128x128 scales, and MXFP8, only";
  }
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  if (problem.m > most_block_stream_tokens) return "is for up to 128 rows of A";
  return why_no_block_stream(problem, {.tokens = most_block_stream_tokens});
}

// On each axis, what was fastest on an H200 most often comes first.
Space block_stream_space(const Problem& problem, const DeviceInfo& device) {
  const auto sms = device.cu_num;
  const bool many_tokens = problem.m > 64;
  const auto with_problem = [&](const char* reason, bool (*holds)(const Problem&, const Tile&)) {
    return rule(reason, [=](const Tile& t) { return holds(problem, t); });
  };
  const auto with_device = [&](const char* reason, bool (*holds)(const Problem&, const Tile&, std::int64_t)) {
    return rule(reason, [=](const Tile& t) { return holds(problem, t, sms); });
  };
  return {"fp8_block_stream",
          {numeric_axis("n", token_choices()), numeric_axis("r", many_tokens ? Values{2, 1, 4} : Values{1, 2, 4}),
           numeric_axis("u", {1, 2}), numeric_axis("q", {1, 2, 4}), numeric_axis("c", {2, 4, 1, 8}),
           numeric_axis("x", {1, 2}), numeric_axis("s", {4, 6, 8, 3, 12}), numeric_axis("t", {8, 4, 3}),
           numeric_axis("a", {0, 1})},
          {rule("no such kernel", [=](const Tile& t) { return why_no_block_stream(problem, t).empty(); }),
           with_problem("another tile suits the rows of A", suits_tokens),
           with_problem("K is too short for so many parts", splits_well),
           with_problem("another ring suits K", has_useful_ring),
           with_problem("another ring suits the rows of A", has_useful_a_ring),
           with_problem("asking ahead is for plain tiles", asks_usefully),
           with_problem("few rows of A need no second group of W's rows", subtiles_help),
           with_problem("too many sums would be exchanged", k_groups_help),
           with_problem("A is too small to be shared", sharing_helps),
           with_device("some clusters would wait for others", splits_for_one_wave),
           with_device("multiprocessors would be idle", fills_device)}};
}

BlockStreamTile block_stream_tile(const Point& point) {
  return {.tokens = point["n"],
          .row_groups = point["r"],
          .subtiles = point["u"],
          .k_groups = point["q"],
          .k_blocks = point["c"],
          .sharers = point["x"],
          .w_stages = point["s"],
          .a_stages = point["t"],
          .ahead = point["a"]};
}

}  // namespace gemmtune
