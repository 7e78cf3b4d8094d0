#include "gemmtune/families/cpu_tile/float_tile_gemm.h"

#include <algorithm>
#include <cstring>

#include "gemmtune/families/cpu_tile/float_panels.h"
#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/parallel.h"

namespace gemmtune::cpu_tile {
namespace {

/// Everything that is known before a launch.
struct Setup {
  Problem problem{};
  const FloatKernels* kernels{};
  TilePlan plan{};
  FloatTileKernel full_tile{};
  FloatTileKernel last_tile{};  // for the last row of tiles, which is lower
  FinishFunction finish{};
  std::int64_t out_bytes{};
};

struct Launch {
  const Setup& setup;
  const WeightPanels& weights;
  const Operands& operands;
};

/// Panels [m.first, m.last) × [n.first, n.last) of one batch.
struct Block {
  std::int64_t batch{};
  Range m{};
  Range n{};
};

/// One thread's share of the multiplication.
class Part {
 public:
  Part(const Launch& launch, int index) : launch_(launch), setup_(launch.setup), plan_(launch.setup.plan) {
    std::byte* scratch = launch.operands.workspace + plan_.a_bytes(setup_.problem.batch);
    scratch += index * (plan_.w_block_bytes() + plan_.sum_bytes());
    w_block_ = reinterpret_cast<float*>(scratch);
    sums_ = reinterpret_cast<float*>(scratch + plan_.w_block_bytes());
  }

  void run(int index) {
    const ThreadGrid& grid = plan_.grid;
    const int n = static_cast<int>(index % grid.n);
    const int m = static_cast<int>(index / grid.n % grid.m);
    const int b = static_cast<int>(index / grid.n / grid.m);
    const Range batches = share_of(setup_.problem.batch, b, static_cast<int>(grid.batch));
    const Range rows = share_of(plan_.m_panels, m, static_cast<int>(grid.m));
    const Range columns = share_of(plan_.n_panels, n, static_cast<int>(grid.n));
    setup_.kernels->enter();
    for (std::int64_t batch = batches.first; batch < batches.last; ++batch) multiply({batch, rows, columns});
    setup_.kernels->leave();
  }

 private:
  void multiply(const Block& share) {
    for (std::int64_t i = share.m.first; i < share.m.last; i += plan_.outer_m_block) {
      for (std::int64_t j = share.n.first; j < share.n.last; j += plan_.n_block) {
        const Block block{.batch = share.batch,
                          .m = {i, std::min(i + plan_.outer_m_block, share.m.last)},
                          .n = {j, std::min(j + plan_.n_block, share.n.last)}};
        for (std::int64_t k = 0; k < plan_.depth; k += plan_.depth_block) {
          add_pass(block, {k, std::min(k + plan_.depth_block, plan_.depth)});
        }
        finish(block);
      }
    }
  }

  /// Adds the products of [k.first, k.last) to the sums of a block. A W panel is decoded when the first rows need it,
  /// so that it is then still in the L1 cache.
  void add_pass(const Block& block, const Range& k) {
    for (std::int64_t i = block.m.first; i < block.m.last; i += plan_.m_block) {
      const Range m{i, std::min(i + plan_.m_block, block.m.last)};
      for (std::int64_t j = block.n.first; j < block.n.last; ++j) {
        float* decoded = w_block_ + (j - block.n.first) * plan_.block_panel_floats();
        const PanelPart part{.batch = block.batch, .panel = j, .k = k};
        const float* w = launch_.weights.in_place(launch_.operands, part);
        if (w == nullptr) {
          if (i == block.m.first) launch_.weights.decode(launch_.operands, part, decoded);
          w = decoded;
        }
        for (std::int64_t p = m.first; p < m.last; ++p) add_tile(block, {p, j}, k, w);
      }
    }
  }

  struct TileAt {
    std::int64_t m{};
    std::int64_t n{};
  };

  void add_tile(const Block& block, const TileAt& at, const Range& k, const float* w) const {
    const FloatTileKernel& kernel = at.m + 1 == plan_.m_panels ? setup_.last_tile : setup_.full_tile;
    const float* a = reinterpret_cast<const float*>(launch_.operands.workspace) +
                     (block.batch * plan_.m_panels + at.m) * plan_.a_panel_floats() + k.first * kernel.rows;
    kernel.run({.a = a,
                .w = w,
                .depth = k.size(),
                .c = sums_at(block, (at.m - block.m.first) * plan_.height, at.n),
                .accumulate = k.first});
  }

  float* sums_at(const Block& block, std::int64_t row, std::int64_t n_panel) const {
    return sums_ + ((n_panel - block.n.first) * plan_.sum_rows() + row) * plan_.columns;
  }

  void finish(const Block& block) const {
    const std::int64_t first = block.m.first * plan_.height;
    const std::int64_t last = std::min(block.m.last * plan_.height, setup_.problem.m);
    for (std::int64_t row = first; row < last; ++row) {
      for (std::int64_t j = block.n.first; j < block.n.last; ++j) {
        finish_row(block.batch * setup_.problem.m + row, j, sums_at(block, row - first, j));
      }
    }
  }

  void finish_row(std::int64_t row, std::int64_t n_panel, const float* sums) const {
    const std::int64_t column = n_panel * plan_.columns;
    const std::int64_t n = setup_.problem.n;
    const std::int64_t bytes = setup_.out_bytes;
    const std::byte* bias = setup_.problem.epilogue.bias ? launch_.operands.bias : nullptr;
    setup_.finish({.in = sums,
                   .bias = bias == nullptr ? nullptr : bias + column * bytes,
                   .out = launch_.operands.c + (row * n + column) * bytes,
                   .count = std::min(plan_.columns, n - column)});
  }

  const Launch& launch_;
  const Setup& setup_;
  const TilePlan& plan_;
  float* w_block_{};
  float* sums_{};
};

class TileGemm final : public PreparedGemm {
 public:
  TileGemm(const Setup& setup, Weights weights)
      : setup_(setup),
        a_panels_(setup.problem, *setup.kernels, setup.plan),
        weights_(setup.problem, *setup.kernels, setup.plan, weights) {}

  std::size_t packed_weight_bytes() const override { return weights_.packed_bytes(); }

  std::size_t workspace_bytes() const override {
    const TilePlan& plan = setup_.plan;
    const std::int64_t scratch = plan.grid.count() * (plan.w_block_bytes() + plan.sum_bytes());
    return static_cast<std::size_t>(plan.a_bytes(setup_.problem.batch) + scratch);
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream&) override { weights_.pack(operands, packed); }

  void launch(const Operands& operands, Stream&) noexcept override {
    const int threads = setup_.plan.grid.count();
    parallel_parts(threads, [&](int part) {
      const Range share = share_of(a_panels_.count(), part, threads);
      auto* a = reinterpret_cast<float*>(operands.workspace);
      for (std::int64_t i = share.first; i < share.last; ++i) {
        a_panels_.pack(operands, i, a + i * setup_.plan.a_panel_floats());
      }
    });
    const Launch launch{.setup = setup_, .weights = weights_, .operands = operands};
    parallel_parts(threads, [&](int part) { Part(launch, part).run(part); });
  }

 private:
  Setup setup_;
  APanels a_panels_;
  WeightPanels weights_;
};

}  // namespace

std::unique_ptr<PreparedGemm> make_tile_gemm(const Problem& problem, const FloatKernels& kernels,
                                             const TileChoice& choice, Weights weights) {
  const TilePlan plan = plan_tiles(problem, kernels, choice);
  const Sink sink = sink_of(problem.out);
  const Setup setup{.problem = problem,
                    .kernels = &kernels,
                    .plan = plan,
                    .full_tile = kernels.tile(plan.height, choice.vectors),
                    .last_tile = kernels.tile(plan.last_height, choice.vectors),
                    .finish = kernels.finish(sink),
                    .out_bytes = sink_bytes(sink)};
  return std::make_unique<TileGemm>(setup, weights);
}

}  // namespace gemmtune::cpu_tile
