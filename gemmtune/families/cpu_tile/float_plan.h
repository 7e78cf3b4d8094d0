// How a tile GEMM is divided: panels, cache blocks, threads, and the place of each scratch buffer in the workspace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/families/cpu_tile/float_kernels.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::cpu_tile {

/// A candidate's parameters.
struct TileChoice {
  std::int64_t rows{};     // of a tile
  std::int64_t vectors{};  // of a tile, across
  std::int64_t k_block{};  // elements of K
  std::int64_t n_block{};  // columns
  std::int64_t threads{};
};

/// Threads along each direction; their product is at most the threads asked for.
struct ThreadGrid {
  std::int64_t batch{1};
  std::int64_t m{1};
  std::int64_t n{1};

  int count() const { return static_cast<int>(batch * m * n); }
};

struct TilePlan {
  std::int64_t height{};       // rows of each A panel but the last
  std::int64_t last_height{};  // of the last, as its tile needs it
  std::int64_t m_panels{};
  std::int64_t columns{};  // of a W panel
  std::int64_t n_panels{};
  std::int64_t depth{};          // 32-bit elements along K, rounded up to the kernels' step
  std::int64_t depth_block{};    // of them, what one pass over a block takes
  std::int64_t n_block{};        // W panels whose passes share an A block
  std::int64_t m_block{};        // A panels that stay in the second-level cache meanwhile
  std::int64_t outer_m_block{};  // A panels whose sums are kept between passes
  ThreadGrid grid{};

  std::int64_t a_panel_floats() const { return height * depth; }
  std::int64_t w_panel_elements() const { return columns * depth; }
  std::int64_t block_panel_floats() const { return columns * depth_block; }
  std::int64_t sum_rows() const { return outer_m_block * height; }

  /// Bytes of all packed A, of one thread's decoded W block, and of one thread's sums; multiples of a cache line.
  std::int64_t a_bytes(std::int64_t batch) const;
  std::int64_t w_block_bytes() const;
  std::int64_t sum_bytes() const;
};

TilePlan plan_tiles(const Problem& problem, const FloatKernels& kernels, const TileChoice& choice);

}  // namespace gemmtune::cpu_tile
