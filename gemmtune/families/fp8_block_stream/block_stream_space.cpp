#include "gemmtune/families/fp8_block_stream/block_stream_space.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

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

/// Blocks that are on the device at once, on average, as a share of its multiprocessors; 1 at most.
double share_of_device(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  const auto blocks = static_cast<double>(block_stream_blocks(problem, tile));
  return std::min(1.0, blocks / static_cast<double>(multiprocessors));
}

/// Whether nearly as many multiprocessors work as with the best other way of dividing W. Memory's bandwidth is shared, so
/// not all of them have to.
bool fills_device(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  double best = 0;
  for (const std::int64_t row_groups : {1, 2, 4})
    for (const std::int64_t k_blocks : {1, 2, 4, 8}) {
      const Tile other{.tokens = tile.tokens, .row_groups = row_groups, .k_blocks = k_blocks, .w_stages = 2, .a_stages = 2};
      if (splits_well(problem, other)) best = std::max(best, share_of_device(problem, other, multiprocessors));
    }
  return share_of_device(problem, tile, multiprocessors) >= 0.7 * best;
}

/// Splitting K costs an exchange of sums, so it is not for more blocks than the device holds at once.
bool is_not_cut_too_small(const Problem& problem, const Tile& tile, std::int64_t multiprocessors) {
  return tile.k_blocks == 1 || block_stream_blocks(problem, tile) <= 3 * multiprocessors;
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
  if (problem.a != a || problem.w != w) return "multiplies e4m3 with 1x128 scales by e4m3 with 128x128 scales only";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  if (problem.m > most_block_stream_tokens) return "is for up to 128 rows of A";
  return why_no_block_stream(problem, {.tokens = most_block_stream_tokens});
}

// On each axis, what is expected to be fastest most often comes first.
Space block_stream_space(const Problem& problem, const DeviceInfo& device) {
  const auto sms = device.cu_num;
  return {"fp8_block_stream",
          {numeric_axis("n", token_choices()), numeric_axis("r", {1, 2, 4}), numeric_axis("u", {1, 2}),
           numeric_axis("q", {1, 2, 4}), numeric_axis("c", {1, 2, 4, 8}), numeric_axis("x", {1, 2}),
           numeric_axis("s", {4, 6, 8, 3, 12}), numeric_axis("t", {8, 4, 3}), numeric_axis("a", {0, 1})},
          {rule("no such kernel", [=](const Tile& t) { return why_no_block_stream(problem, t).empty(); }),
           rule("another tile suits the rows of A", [=](const Tile& t) { return suits_tokens(problem, t); }),
           rule("K is too short for so many parts", [=](const Tile& t) { return splits_well(problem, t); }),
           rule("another ring suits K", [=](const Tile& t) { return has_useful_ring(problem, t); }),
           rule("another ring suits the rows of A", [=](const Tile& t) { return has_useful_a_ring(problem, t); }),
           rule("asking ahead is for plain tiles", [=](const Tile& t) { return asks_usefully(problem, t); }),
           rule("few rows of A need no second group of W's rows",
                [=](const Tile& t) { return subtiles_help(problem, t); }),
           rule("A is too small to be shared", [=](const Tile& t) { return sharing_helps(problem, t); }),
           rule("more blocks than are on the device at once",
                [=](const Tile& t) { return is_not_cut_too_small(problem, t, sms); }),
           rule("multiprocessors would be idle", [=](const Tile& t) { return fills_device(problem, t, sms); })}};
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
