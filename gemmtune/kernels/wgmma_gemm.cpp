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

std::int64_t out_bytes(const Problem& problem) { return storage_bytes(problem.out, 1); }

/// Whether rows of C can be copied in bulk.
bool stores_tiles(const Problem& problem) { return problem.n * out_bytes(problem) % 16 == 0; }

std::int64_t m_tiles(const Problem& problem, const WgmmaTile& tile) {
  return ceil_div(problem.m, tile.block_m * tile.cluster_m);
}
std::int64_t n_tiles(const Problem& problem, const WgmmaTile& tile) {
  return ceil_div(problem.n, tile.block_n * tile.cluster_n);
}

/// Registers for sums: those of half a tile's rows, and one subtile at a time of those that are promoted.
std::int64_t sum_registers(const WgmmaTile& tile) {
  return tile.block_m * tile.block_n / 256 + (tile.promote_k > 0 ? tile.block_n / 2 : 0);
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
  const auto tiles = wgmma_tiles(problem, tile) * tile.cluster_m * tile.cluster_n;
  return tiles > most_split_tiles ? fmt::format("{} tiles need no parts along K", tiles) : "";
}

}  // namespace

std::int64_t wgmma_shared_bytes(const WgmmaTile& tile) {
  const auto barriers = 2 * 8 * tile.stages;
  const auto scales = 2 * 4 * tile.block_n;
  return tile.stages * (tile.block_m + tile.block_n) * step_k + 4 * std::int64_t{4 * wgmma_piece_rows * 128} + scales +
         barriers + 16;
}

std::int64_t wgmma_tiles(const Problem& problem, const WgmmaTile& tile) {
  return m_tiles(problem, tile) * n_tiles(problem, tile) * problem.batch;
}

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
  const auto option = [](std::string_view name, std::int64_t value) { return fmt::format("-D{}={}", name, value); };
  auto source =
      with_header(wgmma_gemm_kernel(), "gemmtune/kernels/wgmma_instruction.cuh",
                  wgmma_text(int8 ? WgmmaOperands::int8 : WgmmaOperands::e4m3, static_cast<int>(tile.block_n)));
  source.arch = "sm90a";
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    option("BLOCK_M", tile.block_m),
                    option("BLOCK_N", tile.block_n),
                    option("STAGES", tile.stages),
                    option("CLUSTER_M", tile.cluster_m),
                    option("CLUSTER_N", tile.cluster_n),
                    option("CHUNKS", product.base == FoldBase::chunk),
                    option("PROMOTE", tile.promote_k / step_k),
                    option("OUT_BYTES", out_bytes(problem)),
                    option("OUT_IS_F16", problem.out == DType::f16),
                    option("HAS_BIAS", problem.epilogue.bias),
                    option("STORES_TILES", stores_tiles(problem))};
  return source;
}

WgmmaGemm::WgmmaGemm(const WgmmaProduct& product, const WgmmaTile& tile, std::int64_t multiprocessors)
    : product_(product),
      tile_(tile),
      module_([&] {
        if (const auto why = why_no_wgmma(product, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return GpuModule(compile_kernel(wgmma_source(product, tile)));
      }()),
      function_(module_.function("wgmma_gemm", static_cast<unsigned>(wgmma_shared_bytes(tile)))) {
  const auto cluster = tile.cluster_m * tile.cluster_n;
  const auto units = wgmma_tiles(product.problem, tile) * tile.split_k;
  const auto at_once = std::max<std::int64_t>(multiprocessors / cluster, 1);
  blocks_ = static_cast<unsigned>(std::min(at_once, units) * cluster);
  start_ = units <= at_once ? LaunchStart::early : LaunchStart::after_previous;
}

std::size_t WgmmaGemm::partial_bytes() const {
  if (tile_.split_k == 1) return 0;
  const auto tiles = wgmma_tiles(product_.problem, tile_) * tile_.cluster_m * tile_.cluster_n;
  return static_cast<std::size_t>(tiles * tile_.split_k * tile_.block_m * tile_.block_n * 4);
}

void WgmmaGemm::launch_or_throw(const WgmmaAddresses& at, Stream& stream) const {
  const auto& p = product_.problem;
  const auto operand = [&](const std::byte* address, std::int64_t rows, std::int64_t box_rows) {
    return module_.tensor_map(address, {.columns = p.k,
                                        .rows = rows,
                                        .batch = p.batch,
                                        .element_bytes = 1,
                                        .box_columns = 128,
                                        .box_rows = static_cast<unsigned>(box_rows)});
  };
  const auto a = operand(at.a, p.m, tile_.block_m / tile_.cluster_n);
  const auto w = operand(at.w, p.n, tile_.block_n / tile_.cluster_m);
  const auto bytes = static_cast<unsigned>(out_bytes(p));
  const auto c = stores_tiles(p) ? module_.tensor_map(at.c, {.columns = p.n,
                                                             .rows = p.m,
                                                             .batch = p.batch,
                                                             .element_bytes = bytes,
                                                             .box_columns = 128 / bytes,
                                                             .box_rows = wgmma_piece_rows})
                                 : TensorMap{};
  const WgmmaArguments arguments{.a_scale = at.a_scales,
                                 .w_scale = at.w_scales,
                                 .bias = reinterpret_cast<const unsigned char*>(at.bias),
                                 .c = reinterpret_cast<unsigned char*>(at.c),
                                 .partials = reinterpret_cast<unsigned char*>(at.partial_sums),
                                 .m = static_cast<std::int32_t>(p.m),
                                 .n = static_cast<std::int32_t>(p.n),
                                 .steps = static_cast<std::int32_t>(ceil_div(p.k, step_k)),
                                 .batch = static_cast<std::int32_t>(p.batch),
                                 .m_tiles = static_cast<std::int32_t>(m_tiles(p, tile_)),
                                 .n_tiles = static_cast<std::int32_t>(n_tiles(p, tile_)),
                                 .splits = static_cast<std::int32_t>(tile_.split_k),
                                 .group = static_cast<std::int32_t>(tile_.group),
                                 .group_along_n = tile_.order == TileOrder::along_n};
  module_.launch(stream, function_,
                 {.grid = {blocks_},
                  .block = {wgmma_threads},
                  .shared_bytes = static_cast<unsigned>(wgmma_shared_bytes(tile_)),
                  .cluster = static_cast<unsigned>(tile_.cluster_m * tile_.cluster_n),
                  .start = start_},
                 a, w, c, arguments);
}

void WgmmaGemm::launch(const WgmmaAddresses& at, Stream& stream) const noexcept {
  try {
    launch_or_throw(at, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
