// A prepared GEMM with weights in scaled blocks: packs the weights once and A in each call, cuts C into tasks, and
// gives each task to a thread.
#pragma once

#include <memory>

#include "gemmtune/families/cpu_tile/block_kernels.h"
#include "gemmtune/families/family.h"

namespace gemmtune::cpu_tile {

/// The parameters of a candidate.
struct BlockChoice {
  const BlockKernels* kernels{};
  FinishFunction finish{};
  std::int64_t height{};   // of row panels; the kernels have a tile of this height
  std::int64_t k_block{};  // of K, a multiple of 128
  std::int64_t n_block{};  // columns, a multiple of 16
  int threads{1};
};

/// Whether so many rows in panels of this height are multiplied by columns that are decoded to memory first.
bool decodes_columns(const BlockKernels& kernels, std::int64_t height, std::int64_t rows);

std::unique_ptr<PreparedGemm> make_block_gemm(const Problem& problem, const BlockChoice& choice);

}  // namespace gemmtune::cpu_tile
