#include "gemmtune/kernels/stream/stream_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/stream/arguments.h"

namespace gemmtune {
namespace {

constexpr std::int64_t registers_of_lane = 512;  // in a quarter of a multiprocessor, which has every fourth warp
constexpr std::int64_t most_registers = 240;
constexpr std::int64_t shared_bytes_of_multiprocessor = 233'472;
constexpr std::int64_t shared_bytes_of_system = 1024;  // of each block
constexpr std::int64_t spare_registers = 8;            // what the compiler may use beyond what is needed

/// Without moving any. A quarter of a multiprocessor has a warp of each warpgroup, and one that copies. Blocks of one
/// warpgroup get no more than lets a second block in beside them, if the compiler can do with a few less than needed.
std::int64_t even_registers(const StreamTile& tile, const StreamNeeds& needs) {
  constexpr std::int64_t of_two_blocks = registers_of_lane / 3 / 8 * 8;  // a quarter has three of their warps
  if (tile.warpgroups() == 1 && needs.registers <= of_two_blocks + spare_registers) return of_two_blocks;
  return std::min(registers_of_lane / (tile.warpgroups() + 1) / 8 * 8, most_registers);
}

bool moves_registers(const StreamTile& tile, const StreamNeeds& needs) {
  return tile.warpgroups() > 1 && needs.registers > even_registers(tile, needs);
}

std::int64_t registers_had(const StreamTile& tile, const StreamNeeds& needs) {
  const auto even = even_registers(tile, needs);
  if (!moves_registers(tile, needs)) return even;
  const auto groups = tile.warpgroups();
  return std::min((even * (groups + 1) - stream_few_registers) / groups / 8 * 8, most_registers);
}

/// What other warpgroups send to those of a block (far_bytes in stream/tile.cuh).
std::int64_t far_bytes(const StreamTile& tile) {
  const auto pieces = tile.subtiles * tile.tokens / 8;
  return tile.warpgroups() * ceil_div(pieces, tile.parts()) * (tile.parts() - 1) * 2048;
}

std::string why_no_shape(const StreamTile& tile) {
  if (tile.tokens < 8 || tile.tokens > most_stream_tokens || tile.tokens % 8 != 0)
    return "tiles take 8, 16, … 128 rows of A";
  if (tile.row_groups < 1 || tile.subtiles < 1 || tile.subtiles > 2 || tile.row_groups * tile.subtiles > 4)
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

std::string why_no_tile(const StreamTile& tile, const StreamNeeds& needs) {
  if (auto why = why_no_shape(tile); !why.empty()) return why;
  if (needs.registers > registers_had(tile, needs) + spare_registers) return "sums do not fit into registers";
  if (const auto bytes = stream_shared_bytes(tile, needs); bytes > most_stream_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_stream_shared_bytes);
  return "";
}

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

}  // namespace

std::int64_t stream_chunks(const Problem& problem) {
  return ceil_div(storage_bytes(problem.w.type, problem.k), stream_chunk_bytes);
}

std::string why_no_stream(const Problem& problem, const StreamTile& tile, const StreamNeeds& needs) {
  if (problem.m > tile.tokens) return fmt::format("M > {}: all rows of A are in one tile", tile.tokens);
  if (auto why = why_no_tile(tile, needs); !why.empty()) return why;
  if (problem.packed && tile.ahead != 0) return "packed weights are loaded early anyway";
  const bool all_fit = fits(problem.n) && fits(problem.k) && fits(stream_blocks(problem, tile));
  return all_fit && problem.batch <= 65'535 ? "" : "too large";
}

std::int64_t stream_shared_bytes(const StreamTile& tile, const StreamNeeds& needs) {
  const auto rings = (tile.w_stages * tile.rows() + tile.a_stages * tile.tokens) * stream_chunk_bytes;
  const auto far = far_bytes(tile);
  const auto sums_and_rings = far > stream_most_extra_bytes ? std::max(far, rings) : far + rings;
  return sums_and_rings + needs.own_bytes + 8 * (2 * (tile.w_stages + tile.a_stages) + tile.warpgroups());
}

StreamRegisters stream_registers(const StreamTile& tile, const StreamNeeds& needs) {
  const auto even = even_registers(tile, needs);
  if (moves_registers(tile, needs)) return {.even = even, .many = registers_had(tile, needs)};
  return {.even = std::min(round_up(needs.registers + spare_registers, 8), even)};
}

std::int64_t stream_threads(const StreamTile& tile, const StreamNeeds& needs) {
  return 128 * tile.warpgroups() + (moves_registers(tile, needs) ? 128 : 64);  // they move between whole warpgroups
}

std::int64_t stream_blocks_at_once(const StreamTile& tile, const StreamNeeds& needs) {
  const auto registers = std::min(round_up(needs.registers, 8), even_registers(tile, needs));
  const auto by_registers = 4 * (registers_of_lane / registers) / (stream_threads(tile, needs) / 32);
  const auto by_memory = shared_bytes_of_multiprocessor / (stream_shared_bytes(tile, needs) + shared_bytes_of_system);
  return std::min(by_registers, by_memory);
}

std::int64_t stream_row_clusters(const Problem& problem, const StreamTile& tile) {
  return ceil_div(problem.n, tile.rows() * tile.sharers);
}

std::int64_t stream_blocks(const Problem& problem, const StreamTile& tile) {
  return problem.batch * stream_row_clusters(problem, tile) * tile.cluster();
}

}  // namespace gemmtune
