#include "gemmtune/families/cpu_tile/float_plan.h"

#include <algorithm>
#include <limits>

#include "gemmtune/families/cpu_tile/float_problem.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t a_block_bytes = 192 * 1024;  // leaves a 512 KiB L2 cache room for W and sums
constexpr std::int64_t kept_sum_bytes =
    2 * 1024 * 1024;  // of one thread; the last-level cache is fast enough, because a pass uses them once
constexpr std::int64_t line_bytes = 64;

/// Decoding a W panel costs as much as this many rows. If M is split, each part decodes it again.
constexpr std::int64_t decode_rows = 8;

std::int64_t worst_part(const TilePlan& plan, const ThreadGrid& grid, std::int64_t batch) {
  const std::int64_t rows = ceil_div(plan.m_panels, grid.m) * plan.height + decode_rows;
  return ceil_div(batch, grid.batch) * rows * ceil_div(plan.n_panels, grid.n);
}

ThreadGrid choose_grid(const TilePlan& plan, std::int64_t batch, std::int64_t threads) {
  ThreadGrid best{};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t b = 1; b <= std::min(threads, batch); ++b) {
    for (std::int64_t m = 1; m <= std::min(threads / b, plan.m_panels); ++m) {
      const ThreadGrid grid{.batch = b, .m = m, .n = std::min(threads / (b * m), plan.n_panels)};
      const std::int64_t cost = worst_part(plan, grid, batch);
      if (cost < least) {
        least = cost;
        best = grid;
      }
    }
  }
  return best;
}

/// The height of panels that are as even as whole tiles allow: 8 rows in tiles of 6 become 4 + 4.
std::int64_t even_height(std::int64_t m, const FloatKernels& kernels, const TileChoice& choice) {
  const std::int64_t even = ceil_div(m, ceil_div(m, choice.rows));
  return kernels.tile(even, choice.vectors).rows;
}

}  // namespace

std::int64_t TilePlan::a_bytes(std::int64_t batch) const {
  return round_up(batch * m_panels * a_panel_floats() * 4, line_bytes);
}

std::int64_t TilePlan::w_block_bytes() const { return round_up(n_block * block_panel_floats() * 4, line_bytes); }

std::int64_t TilePlan::sum_bytes() const { return round_up(n_block * columns * sum_rows() * 4, line_bytes); }

TilePlan plan_tiles(const Problem& problem, const FloatKernels& kernels, const TileChoice& choice) {
  TilePlan plan{};
  const std::int64_t elements = kernels.pairs ? 2 : 1;
  plan.height = even_height(problem.m, kernels, choice);
  plan.m_panels = ceil_div(problem.m, plan.height);
  plan.last_height = kernels.tile(problem.m - (plan.m_panels - 1) * plan.height, choice.vectors).rows;
  plan.columns = choice.vectors * kernels.width;
  plan.n_panels = ceil_div(problem.n, plan.columns);
  plan.depth = round_up(ceil_div(problem.k, elements), kernels.depth_step);
  plan.depth_block = std::min(choice.k_block / elements, plan.depth);
  plan.grid = choose_grid(plan, problem.batch, choice.threads);
  plan.n_block = std::clamp<std::int64_t>(choice.n_block / plan.columns, 1, ceil_div(plan.n_panels, plan.grid.n));
  plan.m_block = std::max<std::int64_t>(1, a_block_bytes / (plan.depth_block * plan.height * 4));
  const std::int64_t kept = kept_sum_bytes / (plan.n_block * plan.columns * plan.height * 4);
  plan.outer_m_block = std::clamp<std::int64_t>(kept, 1, ceil_div(plan.m_panels, plan.grid.m));
  return plan;
}

}  // namespace gemmtune::cpu_tile
