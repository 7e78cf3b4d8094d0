#include "gemmtune/families/fp8_block_stream/block_stream_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/families/fp8_block_stream/block_stream_arguments.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/mxfp8_folder.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// CMake writes this function.
KernelSource block_stream_kernel();

namespace {

constexpr const char* arch = "sm90a";
constexpr std::int64_t chunk_k = 128;
constexpr std::int64_t registers_of_lane = 512;  // in a quarter of a multiprocessor, which has every fourth warp
constexpr std::int64_t most_registers = 240;
constexpr std::int64_t shared_bytes_of_multiprocessor = 233'472;
constexpr std::int64_t shared_bytes_of_system = 1024;  // of each block
constexpr std::int64_t spare_registers = 8;            // what the compiler may use beyond what is needed

std::int64_t bricks(const BlockStreamTile& tile) { return tile.row_groups * tile.subtiles; }

/// Registers of a multiplying thread: sums outside the tensor core and in it, factors that are read early
/// (multiply_chunk in block_stream.cu), and the rest. Kernels with fewer would spill.
std::int64_t registers_needed(const BlockStreamTile& tile) {
  const bool reads_early = tile.tokens * (tile.subtiles + 2) <= 384;
  const auto sums = (tile.subtiles + 1) * tile.tokens / 2;
  const auto rest = reads_early ? tile.tokens / 4 + 14 * tile.subtiles : 40;
  return std::max<std::int64_t>(sums + rest, 40);
}

/// Without moving any. A quarter of a multiprocessor has a warp of each warpgroup, and one that copies. Blocks of one
/// warpgroup get no more than lets a second block in beside them, if the compiler can do with a few less than needed.
std::int64_t even_registers(const BlockStreamTile& tile) {
  constexpr std::int64_t of_two_blocks = registers_of_lane / 3 / 8 * 8;  // a quarter has three of their warps
  if (tile.warpgroups() == 1 && registers_needed(tile) <= of_two_blocks + spare_registers) return of_two_blocks;
  return std::min(registers_of_lane / (tile.warpgroups() + 1) / 8 * 8, most_registers);
}

bool moves_registers(const BlockStreamTile& tile) {
  return tile.warpgroups() > 1 && registers_needed(tile) > even_registers(tile);
}

std::int64_t registers_had(const BlockStreamTile& tile) {
  const auto even = even_registers(tile);
  if (!moves_registers(tile)) return even;
  const auto groups = tile.warpgroups();
  return std::min((even * (groups + 1) - block_stream_few_registers) / groups / 8 * 8, most_registers);
}

/// What other warpgroups send to those of a block (far_bytes in block_stream_layout.cuh).
std::int64_t far_bytes(const BlockStreamTile& tile) {
  const auto pieces = tile.subtiles * tile.tokens / 8;
  return tile.warpgroups() * ceil_div(pieces, tile.parts()) * (tile.parts() - 1) * 2048;
}

std::string why_no_shape(const BlockStreamTile& tile) {
  if (tile.tokens < 8 || tile.tokens > most_block_stream_tokens || tile.tokens % 8 != 0)
    return "tiles take 8, 16, … 128 rows of A";
  if (tile.row_groups < 1 || tile.subtiles < 1 || tile.subtiles > 2 || bricks(tile) > 4)
    return "blocks take 64, 128, 192 or 256 rows of W, and a warpgroup 64 or 128 of them";
  if (tile.k_groups < 1 || tile.warpgroups() > 4) return "blocks have 1 to 4 multiplying warpgroups";
  if (tile.k_blocks < 1 || tile.sharers < 1 || tile.cluster() > 8) return "clusters have 1 to 8 blocks";
  if (tile.tokens % (8 * tile.sharers) != 0) return "blocks share A's rows in groups of 8";
  if (std::min(tile.w_stages, tile.a_stages) < 2 || std::max(tile.w_stages, tile.a_stages) > 32)
    return "a ring has 2 to 32 stages";
  if (tile.w_stages % tile.k_groups != 0 || tile.a_stages % tile.k_groups != 0)
    return "warpgroups along K have equally many stages";
  if (tile.ahead < 0 || tile.ahead > 1) return "weights are asked for ahead, or not";
  return "";
}

std::string why_no_tile(const BlockStreamTile& tile) {
  if (auto why = why_no_shape(tile); !why.empty()) return why;
  if (registers_needed(tile) > registers_had(tile) + spare_registers) return "sums do not fit into registers";
  if (const auto bytes = block_stream_shared_bytes(tile); bytes > most_block_stream_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_block_stream_shared_bytes);
  return "";
}

std::int64_t row_clusters(const Problem& problem, const BlockStreamTile& tile) {
  return ceil_div(problem.n, tile.rows() * tile.sharers);
}

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

std::string option(std::string_view name, std::int64_t value) { return fmt::format("-DSTREAM_{}={}", name, value); }

}  // namespace

std::string why_no_block_stream(const Problem& problem, const BlockStreamTile& tile) {
  if (problem.k % chunk_k != 0) return "K % 128 != 0";
  if (problem.m > tile.tokens) return fmt::format("M > {}: all rows of A are in one tile", tile.tokens);
  if (auto why = why_no_tile(tile); !why.empty()) return why;
  if (problem.packed && tile.ahead != 0) return "packed weights are loaded early anyway";
  const bool all_fit = fits(problem.n) && fits(problem.k) && fits(block_stream_blocks(problem, tile));
  return all_fit && problem.batch <= 65'535 ? "" : "too large";
}

std::int64_t block_stream_shared_bytes(const BlockStreamTile& tile) {
  const auto rings = tile.w_stages * tile.rows() * chunk_k + tile.a_stages * tile.tokens * chunk_k;
  const auto far = far_bytes(tile);
  const auto sums_and_rings = far > block_stream_most_extra_bytes ? std::max(far, rings) : far + rings;
  const auto scales = tile.a_stages * (tile.tokens + 4) * 4;
  return sums_and_rings + scales + 8 * (2 * (tile.w_stages + tile.a_stages) + tile.warpgroups());
}

BlockStreamRegisters block_stream_registers(const BlockStreamTile& tile) {
  if (moves_registers(tile)) return {.even = even_registers(tile), .many = registers_had(tile)};
  return {.even = std::min(round_up(registers_needed(tile) + spare_registers, 8), even_registers(tile))};
}

std::int64_t block_stream_threads(const BlockStreamTile& tile) {
  return 128 * tile.warpgroups() + (moves_registers(tile) ? 128 : 64);  // registers move between whole warpgroups
}

std::int64_t block_stream_blocks_at_once(const BlockStreamTile& tile) {
  const auto registers = std::min(round_up(registers_needed(tile), 8), even_registers(tile));
  const auto by_registers = 4 * (registers_of_lane / registers) / (block_stream_threads(tile) / 32);
  const auto by_memory = shared_bytes_of_multiprocessor / (block_stream_shared_bytes(tile) + shared_bytes_of_system);
  return std::min(by_registers, by_memory);
}

std::int64_t block_stream_blocks(const Problem& problem, const BlockStreamTile& tile) {
  return problem.batch * row_clusters(problem, tile) * tile.cluster();
}

KernelSource block_stream_source(const Problem& problem, const BlockStreamTile& tile) {
  auto source = with_header(block_stream_kernel(), "gemmtune/kernels/wgmma_instruction.cuh",
                            wgmma_text(WgmmaOperands::e4m3, static_cast<int>(tile.tokens)));
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    option("TOKENS", tile.tokens),
                    option("ROW_GROUPS", tile.row_groups),
                    option("SUBTILES", tile.subtiles),
                    option("K_GROUPS", tile.k_groups),
                    option("K_BLOCKS", tile.k_blocks),
                    option("SHARERS", tile.sharers),
                    option("W_STAGES", tile.w_stages),
                    option("A_STAGES", tile.a_stages),
                    option("AHEAD", tile.ahead),
                    option("PACKED", problem.packed),
                    option("W_ROWS", is_mxfp8(problem.w)),
                    option("REGISTERS", block_stream_registers(tile).even),
                    option("MANY_REGISTERS", block_stream_registers(tile).many),
                    option("SHARED_BYTES", block_stream_shared_bytes(tile)),
                    option("BIAS", problem.epilogue.bias),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)};
  return source;
}

std::vector<KernelSource> block_stream_sources(const Problem& problem, const BlockStreamTile& tile) {
  std::vector<KernelSource> sources{block_stream_source(problem, tile)};
  if (problem.packed) sources.push_back(is_mxfp8(problem.w) ? mxfp8_fold_source() : block_stream_pack_source());
  return sources;
}

BlockStreamGemm::BlockStreamGemm(const Problem& problem, const BlockStreamTile& tile)
    : problem_(problem),
      tile_([&] {
        if (const auto why = why_no_block_stream(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return tile;
      }()),
      packer_(problem.packed && !is_mxfp8(problem.w) ? std::optional<BlockStreamPacker>(problem) : std::nullopt),
      module_(compile_kernel(block_stream_source(problem, tile))),
      multiply_(module_.function("multiply_block_stream", static_cast<unsigned>(block_stream_shared_bytes(tile)))) {}

void BlockStreamGemm::launch_or_throw(const Operands& operands, Stream& stream) const {
  const auto operand = [&](const std::byte* address, std::int64_t rows, std::int64_t box_rows) {
    return module_.tensor_map(address, {.columns = problem_.k,
                                        .rows = rows,
                                        .batch = problem_.batch,
                                        .element_bytes = 1,
                                        .box_columns = static_cast<unsigned>(chunk_k),
                                        .box_rows = static_cast<unsigned>(box_rows)});
  };
  const auto a = operand(operands.a, problem_.m, tile_.tokens / tile_.sharers);
  const auto w = problem_.packed ? TensorMap{} : operand(operands.w, problem_.n, tile_.rows());
  const BlockStreamArguments arguments{.a_scale = reinterpret_cast<const float*>(operands.a_scale),
                                       .w_scale = reinterpret_cast<const float*>(operands.w_scale),
                                       .bricks = reinterpret_cast<const unsigned char*>(operands.packed_w),
                                       .bias = reinterpret_cast<const unsigned char*>(operands.bias),
                                       .c = reinterpret_cast<unsigned char*>(operands.c),
                                       .m = static_cast<std::int32_t>(problem_.m),
                                       .n = static_cast<std::int32_t>(problem_.n),
                                       .chunks = static_cast<std::int32_t>(problem_.k / chunk_k),
                                       .batch = static_cast<std::int32_t>(problem_.batch),
                                       .row_clusters = static_cast<std::int32_t>(row_clusters(problem_, tile_))};
  module_.launch(stream, multiply_,
                 {.grid = {static_cast<unsigned>(block_stream_blocks(problem_, tile_))},
                  .block = {static_cast<unsigned>(block_stream_threads(tile_))},
                  .shared_bytes = static_cast<unsigned>(block_stream_shared_bytes(tile_)),
                  .cluster = static_cast<unsigned>(tile_.cluster()),
                  .start = LaunchStart::early},
                 a, w, arguments);
}

void BlockStreamGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  try {
    launch_or_throw(operands, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
