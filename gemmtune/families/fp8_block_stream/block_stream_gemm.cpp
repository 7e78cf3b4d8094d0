#include "gemmtune/families/fp8_block_stream/block_stream_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "gemmtune/core/error.h"
#include "gemmtune/families/fp8_block_stream/block_stream_arguments.h"
#include "gemmtune/kernels/mxfp8_folder.h"

namespace gemmtune {

// CMake writes this function.
KernelSource block_stream_kernel();

namespace {

constexpr std::int64_t chunk_k = 128;

/// Registers of a multiplying thread: sums outside the tensor core and in it, factors that are read early
/// (multiply_chunk in block_stream.cu), and the rest.
std::int64_t registers_needed(const BlockStreamTile& tile) {
  const bool reads_early = tile.tokens * (tile.subtiles + 2) <= 384;
  const auto sums = (tile.subtiles + 1) * tile.tokens / 2;
  const auto rest = reads_early ? tile.tokens / 4 + 14 * tile.subtiles : 40;
  return std::max<std::int64_t>(sums + rest, 40);
}

StreamKernel kernel_of(const Problem& problem, const BlockStreamTile& tile) {
  if (const auto why = why_no_block_stream(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return {problem, tile, block_stream_needs(tile), block_stream_source(problem, tile), "multiply_block_stream"};
}

}  // namespace

std::string why_no_block_stream(const Problem& problem, const BlockStreamTile& tile) {
  if (problem.k % chunk_k != 0) return "K % 128 != 0";
  return why_no_stream(problem, tile, block_stream_needs(tile));
}

StreamNeeds block_stream_needs(const BlockStreamTile& tile) {
  return {.registers = registers_needed(tile), .own_bytes = tile.a_stages * (tile.tokens + 4) * 4};
}

KernelSource block_stream_source(const Problem& problem, const BlockStreamTile& tile) {
  auto source = stream_source(block_stream_kernel(), WgmmaOperands::e4m3, problem, tile, block_stream_needs(tile));
  source.options.push_back(fmt::format("-DSTREAM_W_ROWS={:d}", is_mxfp8(problem.w)));
  return source;
}

std::vector<KernelSource> block_stream_sources(const Problem& problem, const BlockStreamTile& tile) {
  std::vector<KernelSource> sources{block_stream_source(problem, tile)};
  if (problem.packed) sources.push_back(is_mxfp8(problem.w) ? mxfp8_fold_source() : stream_pack_source());
  return sources;
}

BlockStreamGemm::BlockStreamGemm(const Problem& problem, const BlockStreamTile& tile)
    : kernel_(kernel_of(problem, tile)) {}

void BlockStreamGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  const BlockStreamArguments arguments{.a_scale = reinterpret_cast<const float*>(operands.a_scale),
                                       .w_scale = reinterpret_cast<const float*>(operands.w_scale),
                                       .stream = kernel_.arguments(operands)};
  kernel_.launch(operands, arguments, stream);
}

}  // namespace gemmtune
