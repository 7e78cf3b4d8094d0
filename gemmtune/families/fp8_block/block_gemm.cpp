#include "gemmtune/families/fp8_block/block_gemm.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/wgmma_arguments.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// CMake writes this function.
KernelSource wgmma_gemm_kernel();

namespace {

constexpr std::int64_t step_k = 128;
constexpr std::int64_t many_registers = 232;  // of a thread that multiplies
constexpr std::int64_t few_registers = 40;    // of one that copies

WgmmaCut cut_of(const BlockTile& tile, const BlockRounds& rounds) { return cut_into(tile, rounds.whole); }

std::string why_no_split(const Problem& problem, const BlockTile& tile, const BlockRounds& rounds) {
  if (tile.split_k == 1) return "";
  if (tile.split_k < 1 || tile.split_k > problem.k / step_k / block_scale_steps(problem))
    return "K is too short for so many parts";
  return rounds.divided() * tile.cluster() > most_split_tiles ? "too many tiles would be divided" : "";
}

}  // namespace

BlockRounds block_rounds(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors) {
  const auto cut = cut_into(tile, 0);
  BlockRounds rounds{.clusters = clusters_at_once(cut, multiprocessors), .tiles = wgmma_tiles(problem, cut)};
  rounds.whole = tile.split_k == 1 ? rounds.tiles : rounds.tiles / rounds.clusters * rounds.clusters;
  return rounds;
}

std::int64_t block_scale_steps(const Problem& problem) { return std::gcd(problem.k / step_k, std::int64_t{4}); }

std::string why_no_block_gemm(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors) {
  if (problem.k % step_k != 0) return "K % 128 != 0";
  if (auto why = why_no_block_tile(tile, problem.out); !why.empty()) return why;
  const auto rounds = block_rounds(problem, tile, multiprocessors);
  if (auto why = why_no_split(problem, tile, rounds); !why.empty()) return why;
  const auto most = std::int64_t{std::numeric_limits<std::int32_t>::max()};
  return std::max({problem.m, problem.n, problem.k, wgmma_units(problem, cut_of(tile, rounds))}) > most ? "too large"
                                                                                                        : "";
}

KernelSource block_gemm_source(const Problem& problem, const BlockTile& tile) {
  const auto columns = static_cast<int>(block_piece_columns(tile));
  auto source = with_header(wgmma_gemm_kernel(), "gemmtune/kernels/wgmma_instruction.cuh",
                            wgmma_text(WgmmaOperands::e4m3, columns));
  source.arch = "sm90a";
  source.options = wgmma_options(problem, cut_into(tile, 0), {tile.stages, block_staging(tile)},
                                 {{"BLOCK_SCALES", 1},
                                  {"W_ROWS", is_mxfp8(problem.w)},
                                  {"CHUNKS", 0},
                                  {"PROMOTE", 1},
                                  {"ROW_GROUPS", tile.row_groups},
                                  {"PIECE_N", columns},
                                  {"SUMS_IN_FLIGHT", block_sums_in_flight(tile.way)},
                                  {"STARTS_AHEAD", tile.way == BlockWay::ahead},
                                  {"SCALE_STEPS", block_scale_steps(problem)},
                                  {"MANY_REGISTERS", many_registers},
                                  {"FEW_REGISTERS", few_registers},
                                  {"SHARED_BYTES", block_shared_bytes(tile)}});
  return source;
}

WgmmaKernel make_block_gemm(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors) {
  if (const auto why = why_no_block_gemm(problem, tile, multiprocessors); !why.empty())
    fail(ErrorCode::unsupported, "{}", why);
  return {block_gemm_source(problem, tile), problem, cut_of(tile, block_rounds(problem, tile, multiprocessors)),
          block_shared_bytes(tile), multiprocessors};
}

}  // namespace gemmtune
