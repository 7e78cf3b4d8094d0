#include "gemmtune/families/mxfp4_fused/fused_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// CMake writes this function.
KernelSource fused_kernel();

namespace {

constexpr const char* arch = "sm90a";
constexpr std::int64_t chunk_k = 128;
constexpr std::int64_t copying_registers = 56;  // for threads that only copy, once the others have taken the rest

std::int64_t threads(const FusedTile& tile) { return 128 + 128 * tile.row_groups; }

/// Registers of each thread at the start. With two multiplying warpgroups it could always be 168. If the sums need
/// fewer, it is 144, so that a block that folds for the next call fits beside them and waits there, which saves one
/// microsecond of 20.
std::int64_t even_registers(const FusedTile& tile) {
  if (tile.row_groups == 2) return tile.rows_a <= 64 ? 144 : 168;
  return tile.row_groups == 1 ? 168 : 128;
}

/// Registers of a multiplying thread: sums in the tensor core and outside, codes of three chunks, and the rest.
std::int64_t registers_needed(const FusedTile& tile) { return tile.rows_a + 2 * 16 + 10 + 28; }

std::int64_t registers_had(const FusedTile& tile) {
  const auto groups = tile.row_groups;
  const auto all = even_registers(tile) * (groups + 1);
  return std::min<std::int64_t>((all - copying_registers) / groups / 8 * 8, 240);
}

std::string why_no_tile(const FusedTile& tile) {
  if (tile.rows_a < 8 || tile.rows_a > 128 || tile.rows_a % 8 != 0) return "tiles take 8, 16, … 128 rows of A";
  if (tile.row_groups < 1 || tile.row_groups > 3) return "blocks have 1 to 3 multiplying warpgroups";
  if (tile.cluster < 1 || tile.cluster > 8) return "clusters have 1 to 8 blocks";
  if (tile.stages < 2 || tile.stages > 16) return "a ring has 2 to 16 stages";
  if (registers_needed(tile) > registers_had(tile)) return "sums do not fit into registers";
  if (const auto bytes = fused_shared_bytes(tile); bytes > most_small_m_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_small_m_shared_bytes);
  return "";
}

FoldSpec activations_of(const Problem& p) {
  return {.type = FoldType::e4m3, .base = FoldBase::row, .rows = p.batch * p.m, .k = p.k, .fill = FoldFill::high};
}

}  // namespace

std::string why_no_fused(const Problem& problem, const FusedTile& tile) {
  if (auto why = why_no_tile(tile); !why.empty()) return why;
  return why_no_small_m_sizes(problem, tile.cut());
}

std::int64_t fused_shared_bytes(const FusedTile& tile) {
  const auto ring = tile.stages * (tile.rows_a * chunk_k + tile.row_groups * small_m_brick_bytes);
  const auto sums = 64 * tile.rows_a * 4;
  const auto far = ceil_div(tile.row_groups, tile.cluster) * (tile.cluster - 1) * sums;
  return ring + far + 8 * (2 * tile.stages + 2 * tile.row_groups);
}

KernelSource fused_source(const Problem& problem, const FusedTile& tile) {
  auto source = with_header(fused_kernel(), "gemmtune/kernels/wgmma_from_registers.cuh",
                            wgmma_from_registers_text(WgmmaOperands::e4m3, static_cast<int>(tile.rows_a)));
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    small_m_option("FOLDED", 1),
                    small_m_option("TILE_M", tile.rows_a),
                    small_m_option("ROW_GROUPS", tile.row_groups),
                    small_m_option("CLUSTER", tile.cluster),
                    small_m_option("STAGES", tile.stages),
                    small_m_option("REGISTERS", even_registers(tile)),
                    small_m_option("SHARED_BYTES", fused_shared_bytes(tile)),
                    small_m_option("BIAS", problem.epilogue.bias),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)};
  return source;
}

std::vector<KernelSource> fused_sources(const Problem& problem, const FusedTile& tile) {
  return {fused_source(problem, tile), small_m_pack_source(PackedScales::row),
          fold_source(activations_of(problem), arch)};
}

FusedGemm::FusedGemm(const Problem& problem, const FusedTile& tile, std::int64_t multiprocessors)
    : problem_(problem),
      tile_(tile),
      blocks_([&] {
        if (const auto why = why_no_fused(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return small_m_blocks(problem, tile.cut(), multiprocessors);
      }()),
      packer_(problem, PackedScales::row),
      folder_(activations_of(problem), arch),
      module_(compile_kernel(fused_source(problem, tile))),
      multiply_(module_.function("multiply_fused", static_cast<unsigned>(fused_shared_bytes(tile)))) {}

void FusedGemm::launch_or_throw(const Operands& operands, Stream& stream) const {
  const auto at = folder_.layout();
  folder_.launch(operands.a, operands.a_scale, operands.workspace, stream);
  const auto folded =
      module_.tensor_map(operands.workspace + at.values, {.columns = problem_.k,
                                                          .rows = problem_.m,
                                                          .batch = problem_.batch,
                                                          .element_bytes = 1,
                                                          .box_columns = static_cast<unsigned>(chunk_k),
                                                          .box_rows = static_cast<unsigned>(tile_.rows_a)});
  module_.launch(stream, multiply_,
                 {.grid = {blocks_},
                  .block = {static_cast<unsigned>(threads(tile_))},
                  .shared_bytes = static_cast<unsigned>(fused_shared_bytes(tile_)),
                  .cluster = static_cast<unsigned>(tile_.cluster),
                  .start = LaunchStart::early},
                 folded, operands.a, operands.a_scale, operands.workspace + at.scales, operands.packed_w,
                 operands.packed_w + packer_.bases(), operands.bias, operands.c, small_m_sizes(problem_, tile_.rows_a));
}

void FusedGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  try {
    launch_or_throw(operands, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
