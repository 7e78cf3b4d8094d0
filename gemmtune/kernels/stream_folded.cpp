#include "gemmtune/kernels/stream_folded.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// Written by CMake.
KernelSource stream_folded_kernel();

namespace {

constexpr const char* arch = "sm90a";
constexpr std::int64_t chunk_k = 128;
constexpr std::int64_t copying_registers = 56;  // of threads that only copy, once the others have the rest

std::int64_t threads(const FoldedStreamTile& tile) { return 128 + 128 * tile.row_groups; }

/// Of each thread at the start. With two multiplying warpgroups it could be 168 always, but where sums leave it fewer,
/// a block that folds for the next call fits beside them and waits there: a microsecond of 20.
std::int64_t even_registers(const FoldedStreamTile& tile) {
  if (tile.row_groups == 2) return tile.rows_a <= 64 ? 144 : 168;
  return tile.row_groups == 1 ? 168 : 128;
}

/// Of a multiplying thread: sums in the tensor core and outside, codes of three chunks, and the rest.
std::int64_t registers_needed(const FoldedStreamTile& tile) { return tile.rows_a + 2 * 16 + 10 + 28; }

std::int64_t registers_had(const FoldedStreamTile& tile) {
  const auto groups = tile.row_groups;
  const auto all = even_registers(tile) * (groups + 1);
  return std::min<std::int64_t>((all - copying_registers) / groups / 8 * 8, 240);
}

std::string why_no_tile(const FoldedStreamTile& tile) {
  if (tile.rows_a < 8 || tile.rows_a > 128 || tile.rows_a % 8 != 0) return "tiles take 8, 16, … 128 rows of A";
  if (tile.row_groups < 1 || tile.row_groups > 3) return "blocks have 1 to 3 multiplying warpgroups";
  if (tile.cluster < 1 || tile.cluster > 8) return "clusters have 1 to 8 blocks";
  if (tile.stages < 2 || tile.stages > 16) return "a ring has 2 to 16 stages";
  if (registers_needed(tile) > registers_had(tile)) return "sums do not fit into registers";
  if (const auto bytes = folded_stream_shared_bytes(tile); bytes > most_stream_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_stream_shared_bytes);
  return "";
}

FoldSpec activations_of(const Problem& p) {
  return {.type = FoldType::e4m3, .base = FoldBase::row, .rows = p.batch * p.m, .k = p.k, .fill = FoldFill::high};
}

}  // namespace

std::string why_no_folded_stream(const Problem& problem, const FoldedStreamTile& tile) {
  if (auto why = why_no_tile(tile); !why.empty()) return why;
  return why_no_stream_sizes(problem, tile.cut());
}

std::int64_t folded_stream_shared_bytes(const FoldedStreamTile& tile) {
  const auto ring = tile.stages * (tile.rows_a * chunk_k + tile.row_groups * stream_brick_bytes);
  const auto sums = 64 * tile.rows_a * 4;
  const auto far = (tile.row_groups + tile.cluster - 1) / tile.cluster * (tile.cluster - 1) * sums;
  return ring + far + 8 * (2 * tile.stages + 2 * tile.row_groups);
}

KernelSource folded_stream_source(const Problem& problem, const FoldedStreamTile& tile) {
  auto source = with_header(stream_folded_kernel(), "gemmtune/kernels/wgmma_from_registers.cuh",
                            wgmma_from_registers_text(static_cast<int>(tile.rows_a)));
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    stream_option("FOLDED", 1),
                    stream_option("TILE_M", tile.rows_a),
                    stream_option("ROW_GROUPS", tile.row_groups),
                    stream_option("CLUSTER", tile.cluster),
                    stream_option("STAGES", tile.stages),
                    stream_option("REGISTERS", even_registers(tile)),
                    stream_option("SHARED_BYTES", folded_stream_shared_bytes(tile)),
                    stream_option("BIAS", problem.epilogue.bias),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)};
  return source;
}

std::vector<KernelSource> folded_stream_sources(const Problem& problem, const FoldedStreamTile& tile) {
  return {folded_stream_source(problem, tile), stream_pack_source(StreamScales::row),
          fold_source(activations_of(problem), arch)};
}

FoldedStreamGemm::FoldedStreamGemm(const Problem& problem, const FoldedStreamTile& tile, std::int64_t multiprocessors)
    : problem_(problem),
      tile_(tile),
      blocks_([&] {
        if (const auto why = why_no_folded_stream(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return stream_blocks(problem, tile.cut(), multiprocessors);
      }()),
      packer_(problem, StreamScales::row),
      folder_(activations_of(problem), arch),
      module_(compile_kernel(folded_stream_source(problem, tile))),
      multiply_(module_.function("multiply_folded", static_cast<unsigned>(folded_stream_shared_bytes(tile)))) {}

void FoldedStreamGemm::launch_or_throw(const Operands& operands, Stream& stream) const {
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
                  .shared_bytes = static_cast<unsigned>(folded_stream_shared_bytes(tile_)),
                  .cluster = static_cast<unsigned>(tile_.cluster),
                  .start = LaunchStart::early},
                 folded, operands.a, operands.a_scale, operands.workspace + at.scales, operands.packed_w,
                 operands.packed_w + packer_.bases(), operands.bias, operands.c, stream_sizes(problem_, tile_.rows_a));
}

void FoldedStreamGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  try {
    launch_or_throw(operands, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
