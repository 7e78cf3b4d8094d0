#include "gemmtune/families/fp8_block/block_gemm.h"

#include <fmt/format.h>

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

std::int64_t out_bytes(const Problem& problem) { return storage_bytes(problem.out, 1); }

/// Whether rows of C can be copied in bulk.
bool stores_tiles(const Problem& problem) { return problem.n * out_bytes(problem) % 16 == 0; }

std::int64_t m_tiles(const Problem& problem, const BlockTile& tile) {
  return ceil_div(problem.m, tile.block_m * tile.cluster_m);
}
std::int64_t n_tiles(const Problem& problem, const BlockTile& tile) {
  return ceil_div(problem.n, tile.block_n * tile.cluster_n);
}

/// Units of work of one cluster: whole tiles, and parts of those that are divided.
std::int64_t units(const BlockRounds& rounds, const BlockTile& tile) {
  return rounds.whole + rounds.divided() * tile.split_k;
}

std::string why_no_split(const Problem& problem, const BlockTile& tile, const BlockRounds& rounds) {
  if (tile.split_k == 1) return "";
  if (tile.split_k < 1 || tile.split_k > problem.k / step_k / block_scale_steps(problem))
    return "K is too short for so many parts";
  return rounds.divided() * tile.cluster() > most_split_tiles ? "too many tiles would be divided" : "";
}

std::string option(std::string_view name, std::int64_t value) { return fmt::format("-D{}={}", name, value); }

}  // namespace

BlockRounds block_rounds(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors) {
  BlockRounds rounds{.clusters = std::max<std::int64_t>(multiprocessors / tile.cluster(), 1),
                     .tiles = m_tiles(problem, tile) * n_tiles(problem, tile) * problem.batch};
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
  return std::max({problem.m, problem.n, problem.k, units(rounds, tile)}) > most ? "too large" : "";
}

KernelSource block_gemm_source(const Problem& problem, const BlockTile& tile) {
  const auto columns = static_cast<int>(block_piece_columns(tile));
  auto source = with_header(wgmma_gemm_kernel(), "gemmtune/kernels/wgmma_instruction.cuh",
                            wgmma_text(WgmmaOperands::e4m3, columns));
  source = with_header(std::move(source), "gemmtune/kernels/wgmma_from_registers.cuh",
                       wgmma_from_registers_text(WgmmaOperands::e4m3, columns, FirstSums::in_place));
  source.arch = "sm90a";
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    option("BLOCK_SCALES", 1),
                    option("BLOCK_M", tile.block_m),
                    option("BLOCK_N", tile.block_n),
                    option("ROW_GROUPS", tile.row_groups),
                    option("PIECE_N", columns),
                    option("SUMS_IN_FLIGHT", block_sums_in_flight(tile.way)),
                    option("IN_TURNS", tile.way == BlockWay::in_turns),
                    option("A_IN_REGISTERS", tile.way == BlockWay::two_from_registers),
                    option("STAGES", tile.stages),
                    option("STAGING", block_staging(tile)),
                    option("CLUSTER_M", tile.cluster_m),
                    option("CLUSTER_N", tile.cluster_n),
                    option("SCALE_STEPS", block_scale_steps(problem)),
                    option("CHUNKS", 0),
                    option("PROMOTE", 1),
                    option("MANY_REGISTERS", many_registers),
                    option("FEW_REGISTERS", few_registers),
                    option("SHARED_BYTES", block_shared_bytes(tile)),
                    option("OUT_BYTES", out_bytes(problem)),
                    option("OUT_IS_F16", problem.out == DType::f16),
                    option("HAS_BIAS", problem.epilogue.bias),
                    option("STORES_TILES", stores_tiles(problem))};
  return source;
}

BlockGemm::BlockGemm(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors)
    : problem_(problem),
      tile_([&] {
        if (const auto why = why_no_block_gemm(problem, tile, multiprocessors); !why.empty())
          fail(ErrorCode::unsupported, "{}", why);
        return tile;
      }()),
      rounds_(block_rounds(problem, tile, multiprocessors)),
      module_(compile_kernel(block_gemm_source(problem, tile))),
      function_(module_.function("wgmma_gemm", static_cast<unsigned>(block_shared_bytes(tile)))) {}

std::size_t BlockGemm::workspace_bytes() const {
  if (tile_.split_k == 1) return 0;
  const auto parts = rounds_.divided() * tile_.cluster() * tile_.split_k;
  return static_cast<std::size_t>(parts * tile_.block_m * tile_.block_n * 4);
}

void BlockGemm::launch_or_throw(const Operands& operands, Stream& stream) const {
  const auto& p = problem_;
  const auto operand = [&](const std::byte* address, std::int64_t rows, std::int64_t box_rows) {
    return module_.tensor_map(address, {.columns = p.k,
                                        .rows = rows,
                                        .batch = p.batch,
                                        .element_bytes = 1,
                                        .box_columns = static_cast<unsigned>(step_k),
                                        .box_rows = static_cast<unsigned>(box_rows)});
  };
  const auto a = operand(operands.a, p.m, tile_.block_m / tile_.cluster_n);
  const auto w = operand(operands.w, p.n, tile_.block_n / tile_.cluster_m);
  const auto bytes = static_cast<unsigned>(out_bytes(p));
  const auto c = stores_tiles(p) ? module_.tensor_map(operands.c, {.columns = p.n,
                                                                   .rows = p.m,
                                                                   .batch = p.batch,
                                                                   .element_bytes = bytes,
                                                                   .box_columns = 128 / bytes,
                                                                   .box_rows = wgmma_piece_rows})
                                 : TensorMap{};
  const WgmmaArguments arguments{.a_scale = reinterpret_cast<const float*>(operands.a_scale),
                                 .w_scale = reinterpret_cast<const float*>(operands.w_scale),
                                 .bias = reinterpret_cast<const unsigned char*>(operands.bias),
                                 .c = reinterpret_cast<unsigned char*>(operands.c),
                                 .partials = reinterpret_cast<unsigned char*>(operands.workspace),
                                 .m = static_cast<std::int32_t>(p.m),
                                 .n = static_cast<std::int32_t>(p.n),
                                 .steps = static_cast<std::int32_t>(p.k / step_k),
                                 .batch = static_cast<std::int32_t>(p.batch),
                                 .m_tiles = static_cast<std::int32_t>(m_tiles(p, tile_)),
                                 .n_tiles = static_cast<std::int32_t>(n_tiles(p, tile_)),
                                 .splits = static_cast<std::int32_t>(tile_.split_k),
                                 .group = static_cast<std::int32_t>(tile_.group),
                                 .group_along_n = tile_.order == TileOrder::along_n,
                                 .whole = static_cast<std::int32_t>(rounds_.whole)};
  const auto clusters = std::min(rounds_.clusters, units(rounds_, tile_));
  // With several rounds, blocks that start while others end would be spread over the multiprocessors in any order, and
  // those of a pair would no longer read the same tiles at the same time.
  const auto start = units(rounds_, tile_) <= rounds_.clusters ? LaunchStart::early : LaunchStart::after_previous;
  module_.launch(stream, function_,
                 {.grid = {static_cast<unsigned>(clusters * tile_.cluster())},
                  .block = {wgmma_threads},
                  .shared_bytes = static_cast<unsigned>(block_shared_bytes(tile_)),
                  .cluster = static_cast<unsigned>(tile_.cluster()),
                  .start = start},
                 a, w, c, arguments);
}

void BlockGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  try {
    launch_or_throw(operands, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
