#include "gemmtune/families/fp8_block/block_cost.h"

#include <algorithm>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr double shared_bytes_a_clock = 128;
constexpr double cache_bytes_a_clock = 64;     // what a multiprocessor reads from the L2 cache
constexpr double memory_bytes_a_clock = 2500;  // an H200's memory, for all multiprocessors
// As measured of tiles of 128x256 on an H200 (docs/results/h200-fp8.md): the loss of a step, and the clocks from the
// last step of a tile to the first one of the next.
constexpr double loss_of_step = 1.08;
constexpr double ends_of_tile = 4500;

double step_clocks(const BlockTile& tile) {
  return loss_of_step * std::max(static_cast<double>(block_step_clocks(tile)),
                                 static_cast<double>(block_step_bytes(tile)) / shared_bytes_a_clock);
}

double clocks_of(const BlockTile& tile, std::int64_t steps) {
  return static_cast<double>(steps) * step_clocks(tile) + ends_of_tile;
}

/// Each part writes its sums, and one of them reads those of all.
double clocks_of_exchange(const BlockTile& tile) {
  const auto bytes = tile.block_m * tile.block_n * 4 * (tile.split_k + 1);
  return static_cast<double>(bytes) / cache_bytes_a_clock;
}

double least_clocks(const Problem& p) {
  return static_cast<double>(p.batch * (p.m * p.k + p.n * p.k + p.m * p.n * 2)) / memory_bytes_a_clock;
}

}  // namespace

double block_clocks(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors) {
  const auto rounds = block_rounds(problem, tile, multiprocessors);
  const auto steps = problem.k / 128;
  double clocks = static_cast<double>(ceil_div(rounds.whole, rounds.clusters)) * clocks_of(tile, steps);
  if (rounds.divided() > 0)
    clocks += static_cast<double>(ceil_div(rounds.divided() * tile.split_k, rounds.clusters)) *
                  clocks_of(tile, ceil_div(steps, tile.split_k)) +
              clocks_of_exchange(tile);
  return std::max(clocks, least_clocks(problem));
}

}  // namespace gemmtune
