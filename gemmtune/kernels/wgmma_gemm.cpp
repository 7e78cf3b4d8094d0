#include "gemmtune/kernels/wgmma_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/wgmma_arguments.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// CMake writes this function.
KernelSource wgmma_gemm_kernel();

namespace {

constexpr std::int64_t step_k = 128;
constexpr std::int64_t most_sum_registers = 192;  // of one thread; the rest of its 232 registers is for everything else
constexpr std::int64_t largest_product = 96 * 96;

WgmmaCut cut_of(const WgmmaTile& tile) { return cut_into(tile, 0); }

/// Registers for sums: those of half a tile's rows, and one subtile at a time of those that are promoted.
std::int64_t sum_registers(const WgmmaTile& tile) {
  return tile.block_m * tile.block_n / 256 + (tile.promote_k > 0 ? tile.block_n / 2 : 0);
}

std::int64_t bytes_without_staging(const WgmmaTile& tile) {
  const auto barriers = 2 * 8 * tile.stages;
  const auto scales = 2 * 4 * tile.block_n;
  return tile.stages * (tile.block_m + tile.block_n) * step_k + scales + barriers + 16;
}

std::string why_no_tile(const WgmmaTile& tile) {
  if (tile.block_m != 128 && tile.block_m != 256) return "tiles have 128 or 256 rows";
  if (tile.block_n < 64 || tile.block_n > 256 || tile.block_n % 64 != 0)
    return "tiles have 64, 128, 192 or 256 columns";
  if (tile.cluster_m < 1 || tile.cluster_n < 1 || tile.cluster_m * tile.cluster_n > 4)
    return "clusters have 1 to 4 blocks";
  if (tile.block_n % (8 * tile.cluster_m) != 0)
    return "blocks of a cluster bring 8 rows at least of the tile they share";
  if (tile.stages < 2 || tile.stages > 16) return "a ring has 2 to 16 stages";
  if (tile.group < 1 || tile.group > 1024) return "groups have 1 to 1024 tiles";
  if (const auto bytes = wgmma_shared_bytes(tile); bytes > most_wgmma_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_wgmma_shared_bytes);
  const bool sums_alone = tile.promote_k == 0 && sum_registers(tile) <= 128;
  if (!sums_alone && (tile.promote_k == 0 || sum_registers(tile) > most_sum_registers))
    return "sums do not fit into registers";
  return "";
}

std::string why_no_promotion(const WgmmaProduct& product, const WgmmaTile& tile) {
  if (product.base == FoldBase::chunk && (product.type == FoldType::int8 || tile.promote_k != step_k))
    return "chunks are scaled as sums of e4m3 are promoted, after each 128 of K";
  if (product.base == FoldBase::chunk && tile.block_n > 128)
    return "factors of so many columns do not fit into registers";
  if (product.type == FoldType::int8) return tile.promote_k == 0 ? "" : "sums of int8 are exact where they are";
  if (tile.promote_k <= 0 || tile.promote_k % step_k != 0) return "sums of e4m3 are promoted after multiples of 128";
  return tile.promote_k > step_k && tile.block_m > 128 ? "tiles of 256 rows promote after each 128 of K" : "";
}

std::string why_no_split(const Problem& problem, const WgmmaTile& tile) {
  if (tile.split_k == 1) return "";
  if (tile.split_k < 1 || tile.split_k > ceil_div(problem.k, step_k)) return "K has fewer steps of 128 than parts";
  const auto tiles = wgmma_tiles(problem, tile) * cut_of(tile).cluster();
  return tiles > most_split_tiles ? fmt::format("{} tiles need no parts along K", tiles) : "";
}

}  // namespace

std::int64_t wgmma_staging(const WgmmaTile& tile) {
  return wgmma_staging(tile.block_m / 2, tile.block_n, bytes_without_staging(tile), 2);
}

std::int64_t wgmma_shared_bytes(const WgmmaTile& tile) {
  return bytes_without_staging(tile) + wgmma_staging_bytes(wgmma_staging(tile));
}

std::int64_t wgmma_tiles(const Problem& problem, const WgmmaTile& tile) { return wgmma_tiles(problem, cut_of(tile)); }

std::string why_no_wgmma(const WgmmaProduct& product, const WgmmaTile& tile) {
  const auto& problem = product.problem;
  if (product.type == FoldType::bf16) return "multiplies bytes";
  if (product.base != FoldBase::row && product.base != FoldBase::chunk) return "scales rows, or chunks of them";
  if (problem.k % 32 != 0) return "K must be a multiple of 32";
  if (product.type == FoldType::int8 && problem.k > std::numeric_limits<std::int32_t>::max() / largest_product)
    return "sums of int8 could overflow";
  if (auto why = why_no_tile(tile); !why.empty()) return why;
  if (auto why = why_no_promotion(product, tile); !why.empty()) return why;
  if (auto why = why_no_split(problem, tile); !why.empty()) return why;
  const auto most = std::int64_t{std::numeric_limits<std::int32_t>::max()};
  if (std::max({problem.m, problem.n, wgmma_tiles(problem, tile) * tile.split_k}) > most) return "too large";
  return "";
}

KernelSource wgmma_source(const WgmmaProduct& product, const WgmmaTile& tile) {
  const auto& problem = product.problem;
  const bool int8 = product.type == FoldType::int8;
  auto source =
      with_header(wgmma_gemm_kernel(), "gemmtune/kernels/wgmma_instruction.cuh",
                  wgmma_text(int8 ? WgmmaOperands::int8 : WgmmaOperands::e4m3, static_cast<int>(tile.block_n)));
  source.arch = "sm90a";
  source.options = wgmma_options(problem, cut_of(tile), {tile.stages, wgmma_staging(tile)},
                                 {{"CHUNKS", product.base == FoldBase::chunk}, {"PROMOTE", tile.promote_k / step_k}});
  return source;
}

WgmmaKernel make_wgmma_gemm(const WgmmaProduct& product, const WgmmaTile& tile, std::int64_t multiprocessors) {
  if (const auto why = why_no_wgmma(product, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return {wgmma_source(product, tile), product.problem, cut_of(tile), wgmma_shared_bytes(tile), multiprocessors};
}

}  // namespace gemmtune
