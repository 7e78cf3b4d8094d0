// How a tile GEMM is divided: panels, cache blocks, threads, and the place of each scratch buffer in the workspace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/families/cpu_tile/float_kernels.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::cpu_tile {

/// The parameters of a candidate.
struct TileChoice {
  std::int64_t rows{};     // rows of a tile
  std::int64_t vectors{};  // vectors across a tile
  std::int64_t k_block{};  // elements of K
  std::int64_t n_block{};  // columns
  std::int64_t threads{};
};

/// The number of threads along each direction. Their product is at most the requested number of threads.
struct ThreadGrid {
  std::int64_t batch{1};
  std::int64_t m{1};
  std::int64_t n{1};

  int count() const { return static_cast<int>(batch * m * n); }
};

struct TilePlan {
  std::int64_t height{};       // rows of each A panel except the last
  std::int64_t last_height{};  // rows of the last A panel, as its tile needs them
  std::int64_t m_panels{};
  std::int64_t columns{};  // columns of a W panel
  std::int64_t n_panels{};
  std::int64_t depth{};          // 32-bit elements along K, rounded up to the kernels' step
  std::int64_t depth_block{};    // how many of these elements one pass over a block takes
  std::int64_t n_block{};        // number of W panels whose passes share an A block
  std::int64_t m_block{};        // number of A panels that stay in the L2 cache meanwhile
  std::int64_t outer_m_block{};  // number of A panels whose sums are kept between passes
  ThreadGrid grid{};

  std::int64_t a_panel_floats() const { return height * depth; }
  std::int64_t w_panel_elements() const { return columns * depth; }
  std::int64_t block_panel_floats() const { return columns * depth_block; }
  std::int64_t sum_rows() const { return outer_m_block * height; }

  /// Bytes of all packed A, of one thread's decoded W block, and of one thread's sums. They are multiples of a cache
  /// line.
  std::int64_t a_bytes(std::int64_t batch) const;
  std::int64_t w_block_bytes() const;
  std::int64_t sum_bytes() const;
};

TilePlan plan_tiles(const Problem& problem, const FloatKernels& kernels, const TileChoice& choice);

}  // namespace gemmtune::cpu_tile
