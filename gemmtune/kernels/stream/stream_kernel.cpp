#include "gemmtune/kernels/stream/stream_kernel.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace gemmtune {
namespace {

std::string option(std::string_view name, std::int64_t value) { return fmt::format("-DSTREAM_{}={}", name, value); }

LaunchShape launch_shape(const Problem& problem, const StreamTile& tile, const StreamNeeds& needs) {
  return {.grid = {static_cast<unsigned>(stream_blocks(problem, tile))},
          .block = {static_cast<unsigned>(stream_threads(tile, needs))},
          .shared_bytes = static_cast<unsigned>(stream_shared_bytes(tile, needs)),
          .cluster = static_cast<unsigned>(tile.cluster()),
          .start = LaunchStart::early};
}

/// A box has 128 bytes of K of `box_rows` rows. What is past the end of K is read as zeros.
TensorExtent extent_of(const Problem& problem, std::int64_t rows, std::int64_t box_rows) {
  const auto element_bytes = storage_bytes(problem.w.type, 1);
  return {.columns = problem.k,
          .rows = rows,
          .batch = problem.batch,
          .element_bytes = static_cast<unsigned>(element_bytes),
          .box_columns = static_cast<unsigned>(stream_chunk_bytes / element_bytes),
          .box_rows = static_cast<unsigned>(box_rows)};
}

}  // namespace

KernelSource stream_source(KernelSource source, WgmmaOperands operands, const Problem& problem, const StreamTile& tile,
                           const StreamNeeds& needs) {
  source = with_header(std::move(source), "gemmtune/kernels/wgmma_instruction.cuh",
                       wgmma_text(operands, static_cast<int>(tile.tokens)));
  const auto [even, many] = stream_registers(tile, needs);
  source.arch = "sm90a";
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    option("TOKENS", tile.tokens),
                    option("ROW_GROUPS", tile.row_groups),
                    option("SUBTILES", tile.subtiles),
                    option("K_GROUPS", tile.k_groups),
                    option("K_BLOCKS", tile.k_blocks),
                    option("SHARERS", tile.sharers),
                    option("ELEMENT_BYTES", storage_bytes(problem.w.type, 1)),
                    option("W_STAGES", tile.w_stages),
                    option("A_STAGES", tile.a_stages),
                    option("AHEAD", tile.ahead),
                    option("PACKED", problem.packed),
                    option("OWN_BYTES", needs.own_bytes),
                    option("SHARED_BYTES", stream_shared_bytes(tile, needs)),
                    option("REGISTERS", even),
                    option("MANY_REGISTERS", many),
                    option("BIAS", problem.epilogue.bias),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)};
  return source;
}

StreamKernel::StreamKernel(const Problem& problem, const StreamTile& tile, const StreamNeeds& needs,
                           const KernelSource& source, const std::string& name)
    : problem_(problem),
      tile_(tile),
      shape_(launch_shape(problem, tile, needs)),
      packer_(problem.packed && !is_mxfp8(problem.w) ? std::optional<StreamPacker>(problem) : std::nullopt),
      module_(compile_kernel(source)),
      multiply_(module_.function(name, shape_.shared_bytes)) {}

StreamArguments StreamKernel::arguments(const Operands& operands) const {
  return {.bricks = reinterpret_cast<const unsigned char*>(operands.packed_w),
          .bias = reinterpret_cast<const unsigned char*>(operands.bias),
          .c = reinterpret_cast<unsigned char*>(operands.c),
          .m = static_cast<std::int32_t>(problem_.m),
          .n = static_cast<std::int32_t>(problem_.n),
          .chunks = static_cast<std::int32_t>(stream_chunks(problem_)),
          .batch = static_cast<std::int32_t>(problem_.batch),
          .row_clusters = static_cast<std::int32_t>(stream_row_clusters(problem_, tile_))};
}

TensorMap StreamKernel::map_of_a(const Operands& operands) const {
  return module_.tensor_map(operands.a, extent_of(problem_, problem_.m, tile_.tokens / tile_.sharers));
}

TensorMap StreamKernel::map_of_w(const Operands& operands) const {
  if (problem_.packed) return {};
  return module_.tensor_map(operands.w, extent_of(problem_, problem_.n, tile_.rows()));
}

}  // namespace gemmtune
