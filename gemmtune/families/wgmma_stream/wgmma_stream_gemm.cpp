#include "gemmtune/families/wgmma_stream/wgmma_stream_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "gemmtune/core/error.h"
#include "gemmtune/families/wgmma_stream/wgmma_stream_arguments.h"

namespace gemmtune {

// CMake writes this function.
KernelSource wgmma_stream_kernel();

namespace {

/// The tensor core's sums are moved to others after each 128 of K.
bool promotes(const Problem& problem) { return problem.w.type == DType::e4m3; }

bool has_token_scales(const Problem& problem) { return problem.a.scaling == Scaling::row; }

WgmmaOperands operands_of(const Problem& problem) {
  if (problem.w.type == DType::bf16) return WgmmaOperands::bf16;
  return problem.w.type == DType::f16 ? WgmmaOperands::f16 : WgmmaOperands::e4m3;
}

/// STREAM_A_SCALES and STREAM_W_SCALES.
int scales_macro(const Side& side) {
  if (side.scaling == Scaling::none) return 0;
  return side.scaling == Scaling::tensor ? 1 : 2;
}

StreamKernel kernel_of(const Problem& problem, const StreamTile& tile) {
  if (const auto why = why_no_wgmma_stream(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return {problem, tile, wgmma_stream_needs(problem, tile), wgmma_stream_source(problem, tile),
          "multiply_wgmma_stream"};
}

}  // namespace

std::string why_no_wgmma_stream(const Problem& problem, const StreamTile& tile) {
  const auto of_16_bytes = 16 / storage_bytes(problem.w.type, 1);
  if (problem.k % of_16_bytes != 0) return fmt::format("K % {} != 0", of_16_bytes);
  if (auto why = why_no_stream(problem, tile, wgmma_stream_needs(problem, tile)); !why.empty()) return why;
  // A warpgroup waits for its next stage before it has finished with the present one.
  if (!promotes(problem) && std::min(tile.w_stages, tile.a_stages) < 2 * tile.k_groups)
    return "each of the warpgroups along K needs two stages";
  return "";
}

StreamNeeds wgmma_stream_needs(const Problem& problem, const StreamTile& tile) {
  const auto sums = (tile.subtiles + (promotes(problem) ? 1 : 0)) * tile.tokens / 2;
  const auto rest = tile.subtiles == 1 || promotes(problem) ? 40 : 80;
  return {.registers = std::max<std::int64_t>(sums + rest, 56),
          .own_bytes = has_token_scales(problem) ? tile.tokens * 4 + 8 : 0};
}

KernelSource wgmma_stream_source(const Problem& problem, const StreamTile& tile) {
  auto source =
      stream_source(wgmma_stream_kernel(), operands_of(problem), problem, tile, wgmma_stream_needs(problem, tile));
  source.options.push_back(fmt::format("-DSTREAM_A_SCALES={}", scales_macro(problem.a)));
  source.options.push_back(fmt::format("-DSTREAM_W_SCALES={}", scales_macro(problem.w)));
  return source;
}

std::vector<KernelSource> wgmma_stream_sources(const Problem& problem, const StreamTile& tile) {
  std::vector<KernelSource> sources{wgmma_stream_source(problem, tile)};
  if (problem.packed) sources.push_back(stream_pack_source());
  return sources;
}

WgmmaStreamGemm::WgmmaStreamGemm(const Problem& problem, const StreamTile& tile) : kernel_(kernel_of(problem, tile)) {}

void WgmmaStreamGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  const WgmmaStreamArguments arguments{.a_scale = reinterpret_cast<const float*>(operands.a_scale),
                                       .w_scale = reinterpret_cast<const float*>(operands.w_scale),
                                       .stream = kernel_.arguments(operands)};
  kernel_.launch(operands, arguments, stream);
}

}  // namespace gemmtune
