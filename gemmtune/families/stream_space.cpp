#include "gemmtune/families/stream_space.h"

#include <algorithm>
#include <utility>

#include "gemmtune/families/cluster_waves.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/stream/arguments.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;
using Tile = StreamTile;

const Values& token_choices() {
  static const Values choices{8, 16, 24, 32, 48, 64, 96, 128};
  return choices;
}

struct Asked {
  StreamKernels kernels;
  Problem problem;
  std::int64_t multiprocessors;
};

bool is_kernel(const Asked& asked, const Tile& tile) { return asked.kernels.why_no(asked.problem, tile).empty(); }

bool suits_tokens(const Asked& asked, const Tile& tile) {
  const auto least = std::ranges::find_if(token_choices(), [&](auto choice) { return choice >= asked.problem.m; });
  return tile.tokens == *least;
}

std::int64_t chunks_of_block(const Asked& asked, const Tile& tile) {
  return ceil_div(stream_chunks(asked.problem), tile.k_blocks);
}

/// Each warpgroup needs two chunks of its part of K at least, if K is split at all.
bool splits_well(const Asked& asked, const Tile& tile) {
  return tile.parts() == 1 || stream_chunks(asked.problem) >= 2 * tile.parts();
}

ClusterGrid grid_of(const Asked& asked, const Tile& tile) {
  return {.clusters = stream_blocks(asked.problem, tile) / tile.cluster(),
          .cluster = tile.cluster(),
          .blocks_at_once = stream_blocks_at_once(tile, asked.kernels.needs(asked.problem, tile))};
}

/// Splitting K costs an exchange of sums, and clusters that have to wait for others cost as much as all of those.
bool splits_for_one_wave(const Asked& asked, const Tile& tile) {
  return tile.k_blocks == 1 || is_one_wave(grid_of(asked, tile), asked.multiprocessors);
}

/// Whether nearly as many multiprocessors work as with the best other way of dividing W. Memory's bandwidth is shared,
/// so not all of them have to.
bool fills_device(const Asked& asked, const Tile& tile) {
  double best = 0;
  for (const std::int64_t row_groups : {1, 2, 4})
    for (const std::int64_t k_blocks : {1, 2, 4, 8}) {
      const Tile other{.tokens = tile.tokens, .row_groups = row_groups, .k_blocks = k_blocks, .w_stages = 4};
      if (is_kernel(asked, other) && splits_well(asked, other) && splits_for_one_wave(asked, other))
        best = std::max(best, share_of_device(grid_of(asked, other), asked.multiprocessors));
    }
  return share_of_device(grid_of(asked, tile), asked.multiprocessors) >= 0.7 * best;
}

/// W's ring is no longer than the block's part of K, and holds 24 to 128 KB, or as much as there is.
bool has_useful_ring(const Asked& asked, const Tile& tile) {
  const auto chunks = chunks_of_block(asked, tile);
  const auto bytes = tile.w_stages * tile.rows() * stream_chunk_bytes;
  const bool is_shortest = tile.w_stages <= 4;
  if (tile.w_stages < 4 && tile.rows() < 256) return false;
  return (is_shortest || tile.w_stages < chunks + tile.k_groups) && bytes <= 128 << 10 &&
         bytes >= std::min<std::int64_t>(24 << 10, chunks * tile.rows() * stream_chunk_bytes);
}

/// A is in the L2 cache, so that its ring may be shorter, but must cover that cache's latency.
bool has_useful_a_ring(const Asked& asked, const Tile& tile) {
  if (tile.tokens <= 32) return tile.a_stages == 8;
  if (tile.tokens == 128) return tile.a_stages <= 4;
  return tile.a_stages == 4 || (tile.a_stages == 8 && chunks_of_block(asked, tile) > 4);
}

/// Asking for weights early rarely gains more than a hundredth.
bool asks_usefully(const Asked&, const Tile& tile) {
  return tile.ahead == 0 || (tile.sharers == 1 && tile.subtiles == 1 && tile.k_groups == 1);
}

/// Two groups of 64 rows share what a warpgroup reads of A from shared memory, which matters for many tokens only.
bool subtiles_help(const Asked&, const Tile& tile) { return tile.subtiles == 1 || tile.tokens >= 96; }

/// With more tokens, the sums that four warpgroups exchange are too many.
bool k_groups_help(const Asked&, const Tile& tile) { return tile.k_groups < 4 || tile.tokens <= 32; }

/// Blocks that share A read it less often from the L2 cache, which matters only if A is not small beside W's tile.
bool sharing_helps(const Asked& asked, const Tile& tile) {
  return tile.sharers == 1 || (tile.tokens * 2 >= tile.rows() && asked.problem.n > tile.rows());
}

}  // namespace

// On the axes of rings, what was fastest on an H200 most often comes first.
Space stream_space(const StreamKernels& kernels, const Problem& problem, std::int64_t multiprocessors,
                   const StreamOrder& order) {
  const Asked asked{.kernels = kernels, .problem = problem, .multiprocessors = multiprocessors};
  const auto rule = [&](const char* reason, bool (*holds)(const Asked&, const Tile&)) {
    return Constraint{reason, [=](const Point& point) { return holds(asked, stream_tile(point)); }};
  };
  return {kernels.family,
          {numeric_axis("n", token_choices()), numeric_axis("r", order.row_groups), numeric_axis("u", {1, 2}),
           numeric_axis("q", order.k_groups), numeric_axis("c", order.k_blocks), numeric_axis("x", {1, 2}),
           numeric_axis("s", order.w_stages), numeric_axis("t", {8, 4, 3}), numeric_axis("a", {0, 1})},
          {rule("no such kernel", is_kernel), rule("another tile suits the rows of A", suits_tokens),
           rule("K is too short for so many parts", splits_well), rule("another ring suits K", has_useful_ring),
           rule("another ring suits the rows of A", has_useful_a_ring),
           rule("asking ahead is for plain tiles", asks_usefully),
           rule("few rows of A need no second group of W's rows", subtiles_help),
           rule("too many sums would be exchanged", k_groups_help), rule("A is too small to be shared", sharing_helps),
           rule("some clusters would wait for others", splits_for_one_wave),
           rule("multiprocessors would be idle", fills_device)}};
}

StreamTile stream_tile(const Point& point) {
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
