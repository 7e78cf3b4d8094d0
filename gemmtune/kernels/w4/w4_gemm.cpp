#include "gemmtune/kernels/w4/w4_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/w4/w4_arguments.h"
#include "gemmtune/kernels/w4/w4_bits.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// CMake writes this function.
KernelSource w4_kernel();

namespace {

constexpr const char* arch = "sm90a";
constexpr std::int64_t chunk_k = w4_brick_k;
constexpr unsigned panel_bytes = 128;               // of a row of A in a box
constexpr std::int64_t registers_of_quarter = 512;  // of each lane; a quarter of a multiprocessor has each fourth warp
constexpr std::int64_t most_registers = 240;
constexpr std::int64_t shared_bytes_of_multiprocessor = 233'472;
constexpr std::int64_t shared_bytes_of_system = 1024;  // of each block
constexpr std::int64_t tile_group = 8;                 // tiles along M that are worked on together

std::int64_t token_tiles(const Problem& problem, const W4Tile& tile) { return ceil_div(problem.m, tile.tokens); }
std::int64_t row_clusters(const Problem& problem, const W4Tile& tile) {
  return ceil_div(problem.n, tile.rows() * tile.sharers);
}

/// Registers of a multiplying thread: its sums, and expanded codes of two steps of the pipeline, codes, addresses and
/// the rest. Kernels with fewer would spill.
///
/// With A in E4M3, there are also the sums of 128 of K, for up to 128 tokens at a time.
std::int64_t registers_needed(const Problem& problem, const W4Tile& tile) {
  const auto totals = tile.subtiles * tile.tokens / 2;
  if (!is_w4_fp8(problem)) return round_up(totals + (tile.subtiles == 1 ? 60 : 64), 8);
  const auto sums = tile.tokens / (tile.tokens > 128 ? 4 : 2);
  return std::max<std::int64_t>(round_up(totals + sums + 40, 8), 56);
}

/// The registers of blocks that fill a quarter of a multiprocessor, which has a warp of each warpgroup and one that
/// copies of each block.
std::int64_t even_registers(const W4Tile& tile, std::int64_t blocks) {
  return std::min(registers_of_quarter / (blocks * (tile.warpgroups() + 1)) / 8 * 8, most_registers);
}

bool moves_registers(const Problem& problem, const W4Tile& tile) {
  return registers_needed(problem, tile) > even_registers(tile, 1);
}

std::int64_t many_registers(const W4Tile& tile) {
  const auto groups = tile.warpgroups();
  return std::min((even_registers(tile, 1) * (groups + 1) - w4_few_registers) / groups / 8 * 8, most_registers);
}

/// What other warpgroups send to those of a block (far_bytes in kernels/stream/tile.cuh).
std::int64_t far_bytes(const W4Tile& tile) {
  const auto pieces = tile.subtiles * tile.tokens / 8;
  return tile.warpgroups() * ceil_div(pieces, tile.parts()) * (tile.parts() - 1) * 2048;
}

std::int64_t ring_bytes(const Problem& problem, const W4Tile& tile) {
  const auto brick = w4_brick_bytes(static_cast<std::int32_t>(w4_scale_k(problem)));
  return tile.stages * (tile.tokens * storage_bytes(problem.a.type, chunk_k) + tile.row_groups * tile.subtiles * brick);
}

/// Without what is needed to write C in lines.
std::int64_t least_shared_bytes(const Problem& problem, const W4Tile& tile) {
  const auto ring = ring_bytes(problem, tile);
  const auto far = far_bytes(tile);
  const auto sums_and_ring = far > w4_most_extra_bytes ? std::max(far, ring) : far + ring;
  const auto token_scales = is_w4_fp8(problem) ? tile.warpgroups() * tile.tokens * 4 : 0;
  return sums_and_ring + token_scales + 8 * (2 * tile.stages + tile.warpgroups());
}

std::int64_t lines_bytes(const W4Tile& tile) { return tile.warpgroups() * w4_lines_bytes; }

/// Whether C is written in lines of 128 bytes, through shared memory. That is worth its barriers for many tokens, and
/// is not there for sums that arrive from several warpgroups.
bool writes_lines(const Problem& problem, const W4Tile& tile) {
  return problem.n % 8 == 0 && storage_bytes(problem.out, 1) == 2 && tile.parts() == 1 && tile.tokens > 64 &&
         tile.tokens % w4_lines_tokens == 0 &&
         least_shared_bytes(problem, tile) + lines_bytes(tile) <= most_w4_shared_bytes;
}

std::string why_no_shape(const W4Tile& tile) {
  if (tile.tokens < 8 || tile.tokens > most_w4_tokens || tile.tokens % 8 != 0)
    return "tiles take 8, 16, … 256 rows of A";
  if (tile.row_groups < 1 || tile.subtiles < 1 || tile.subtiles > 2 || tile.row_groups * tile.subtiles > 4)
    return "blocks take 64, 128, 192 or 256 rows of W, and a warpgroup 64 or 128 of them";
  if (tile.k_groups < 1 || tile.warpgroups() > 4) return "blocks have 1 to 4 multiplying warpgroups";
  if (tile.k_blocks < 1 || tile.sharers < 1 || tile.cluster() > 8) return "clusters have 1 to 8 blocks";
  if (tile.tokens % (8 * tile.sharers) != 0) return "blocks share A's rows in groups of 8";
  if (tile.stages > 32) return "a ring has 32 stages at most";
  if (tile.stages % tile.k_groups != 0) return "warpgroups along K have equally many stages";
  // A warpgroup waits for its next stage before it has finished with the present one.
  if (tile.stages < 2 * tile.k_groups) return "each of the warpgroups along K needs two stages";
  return "";
}

std::string why_no_tile(const Problem& problem, const W4Tile& tile) {
  if (auto why = why_no_shape(tile); !why.empty()) return why;
  if (is_w4_fp8(problem) && tile.tokens > 128 && tile.tokens % 16 != 0)
    return "more than 128 rows of A are multiplied in two equal parts";
  if (moves_registers(problem, tile) && registers_needed(problem, tile) > many_registers(tile))
    return "sums do not fit into registers";
  if (const auto bytes = w4_shared_bytes(problem, tile); bytes > most_w4_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_w4_shared_bytes);
  return "";
}

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

std::string stream_option(std::string_view name, std::int64_t value) {
  return fmt::format("-DSTREAM_{}={}", name, value);
}
std::string option(std::string_view name, std::int64_t value) { return fmt::format("-DW4_{}={}", name, value); }

/// wgmma for as many tokens as one instruction takes.
std::string instruction_text(const Problem& problem, const W4Tile& tile) {
  if (!is_w4_fp8(problem)) return wgmma_from_registers_text(WgmmaOperands::bf16, static_cast<int>(tile.tokens));
  return wgmma_from_registers_text(WgmmaOperands::e4m3,
                                   static_cast<int>(tile.tokens > 128 ? tile.tokens / 2 : tile.tokens));
}

bool writes_pairs(const Problem& problem) { return problem.n % 2 == 0 && storage_bytes(problem.out, 1) == 2; }

}  // namespace

std::string why_no_w4(const Problem& problem, const W4Tile& tile) {
  if (problem.k % 32 != 0) return "K % 32 != 0";
  if (auto why = why_no_tile(problem, tile); !why.empty()) return why;
  const auto blocks = w4_tiles(problem, tile) * tile.cluster();
  const bool all_fit = fits(problem.m) && fits(problem.n) && fits(problem.k) && fits(blocks);
  return all_fit && problem.batch <= 65'535 ? "" : "too large";
}

std::int64_t w4_shared_bytes(const Problem& problem, const W4Tile& tile) {
  return least_shared_bytes(problem, tile) + (writes_lines(problem, tile) ? lines_bytes(tile) : 0);
}

W4Registers w4_registers(const Problem& problem, const W4Tile& tile) {
  if (moves_registers(problem, tile)) return {.even = even_registers(tile, 1), .many = many_registers(tile)};
  return {.even = even_registers(tile, w4_blocks_at_once(problem, tile))};
}

std::int64_t w4_threads(const Problem& problem, const W4Tile& tile) {
  return 128 * tile.warpgroups() +
         (moves_registers(problem, tile) ? 128 : 32);  // registers move between whole warpgroups
}

std::int64_t w4_blocks_at_once(const Problem& problem, const W4Tile& tile) {
  if (moves_registers(problem, tile)) return 1;
  const auto by_registers = registers_of_quarter / (registers_needed(problem, tile) * (tile.warpgroups() + 1));
  const auto by_memory = shared_bytes_of_multiprocessor / (w4_shared_bytes(problem, tile) + shared_bytes_of_system);
  return std::max<std::int64_t>(std::min(by_registers, by_memory), 1);
}

std::int64_t w4_tiles(const Problem& problem, const W4Tile& tile) {
  return problem.batch * row_clusters(problem, tile) * token_tiles(problem, tile);
}

std::int64_t w4_blocks(const Problem& problem, const W4Tile& tile, std::int64_t multiprocessors) {
  const auto tiles = w4_tiles(problem, tile);
  if (tile.parts() > 1) return tiles * tile.cluster();
  const auto at_once = multiprocessors * w4_blocks_at_once(problem, tile) / tile.cluster();
  const auto turns = ceil_div(tiles, std::max<std::int64_t>(at_once, 1));
  return ceil_div(tiles, turns) * tile.cluster();
}

KernelSource w4_source(const Problem& problem, const W4Tile& tile) {
  auto source = with_header(w4_kernel(), "gemmtune/kernels/wgmma_from_registers.cuh", instruction_text(problem, tile));
  const auto [even, many] = w4_registers(problem, tile);
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    stream_option("TOKENS", tile.tokens),
                    stream_option("ROW_GROUPS", tile.row_groups),
                    stream_option("SUBTILES", tile.subtiles),
                    stream_option("K_GROUPS", tile.k_groups),
                    stream_option("K_BLOCKS", tile.k_blocks),
                    stream_option("SHARERS", tile.sharers),
                    option("FP8", is_w4_fp8(problem)),
                    option("TOKEN_SCALES", problem.a.scaling == Scaling::row),
                    option("SCALE_K", w4_scale_k(problem)),
                    option("STAGES", tile.stages),
                    option("REGISTERS", even),
                    option("MANY_REGISTERS", many),
                    option("SHARED_BYTES", w4_shared_bytes(problem, tile)),
                    option("PAIRS", writes_pairs(problem)),
                    option("LINES", writes_lines(problem, tile)),
                    option("BIAS", problem.epilogue.bias),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)};
  return source;
}

std::vector<KernelSource> w4_sources(const Problem& problem, const W4Tile& tile) {
  return {w4_source(problem, tile), w4_pack_source(problem)};
}

W4Gemm::W4Gemm(const Problem& problem, const W4Tile& tile, std::int64_t multiprocessors)
    : problem_(problem),
      tile_([&] {
        if (const auto why = why_no_w4(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return tile;
      }()),
      blocks_(static_cast<unsigned>(w4_blocks(problem, tile, multiprocessors))),
      packer_(problem),
      module_(compile_kernel(w4_source(problem, tile))),
      multiply_(module_.function("multiply_w4", static_cast<unsigned>(w4_shared_bytes(problem, tile)))) {
  // Blocks that start while others end are spread over the multiprocessors in any order, and those that work on the
  // same rows do not read them at the same time any more. With several rounds of tiles this costs more than it saves.
  const bool is_one_round = blocks_ == w4_tiles(problem, tile) * tile.cluster();
  start_ = is_one_round || token_tiles(problem, tile) == 1 ? LaunchStart::early : LaunchStart::after_previous;
}

void W4Gemm::launch_or_throw(const Operands& operands, Stream& stream) const {
  const auto bytes_of_a = static_cast<unsigned>(storage_bytes(problem_.a.type, 1));
  const auto a = module_.tensor_map(operands.a, {.columns = problem_.k,
                                                 .rows = problem_.m,
                                                 .batch = problem_.batch,
                                                 .element_bytes = bytes_of_a,
                                                 .box_columns = panel_bytes / bytes_of_a,
                                                 .box_rows = static_cast<unsigned>(tile_.tokens / tile_.sharers)});
  const W4Arguments arguments{
      .bricks = reinterpret_cast<const unsigned char*>(operands.packed_w),
      .base = reinterpret_cast<const float*>(operands.packed_w + packer_.bases()),
      .a_scale = reinterpret_cast<const float*>(operands.a_scale),
      .bias = reinterpret_cast<const unsigned char*>(operands.bias),
      .c = reinterpret_cast<unsigned char*>(operands.c),
      .m = static_cast<std::int32_t>(problem_.m),
      .n = static_cast<std::int32_t>(problem_.n),
      .chunks = static_cast<std::int32_t>(ceil_div(problem_.k, chunk_k)),
      .batch = static_cast<std::int32_t>(problem_.batch),
      .brick_rows = static_cast<std::int32_t>(ceil_div(problem_.n, w4_brick_rows)),
      .row_clusters = static_cast<std::int32_t>(row_clusters(problem_, tile_)),
      .token_tiles = static_cast<std::int32_t>(token_tiles(problem_, tile_)),
      .tile_group = static_cast<std::int32_t>(std::min(tile_group, token_tiles(problem_, tile_)))};
  const auto shared_bytes = static_cast<unsigned>(w4_shared_bytes(problem_, tile_));
  module_.launch(stream, multiply_,
                 {.grid = {blocks_},
                  .block = {static_cast<unsigned>(w4_threads(problem_, tile_))},
                  .shared_bytes = shared_bytes,
                  .cluster = static_cast<unsigned>(tile_.cluster()),
                  .start = start_},
                 a, arguments);
}

void W4Gemm::launch(const Operands& operands, Stream& stream) const noexcept {
  try {
    launch_or_throw(operands, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
