#include "gemmtune/kernels/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/kernels/read_back.h"
#include "gemmtune/kernels/stream_arguments.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// Written by CMake.
std::string stream_kernel_text();
std::string stream_pack_kernel_text();

namespace {

constexpr const char* arch = "sm90a";
constexpr unsigned pack_threads = 256;
constexpr std::int64_t most_batches = 65'535;  // of a grid's second extent

std::int64_t ceil_div(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }
std::int64_t align(std::int64_t value, std::int64_t to) { return ceil_div(value, to) * to; }

/// Units of A that are converted and wait, and whose codes are on their way: few where they are large.
std::int64_t a_stages(const StreamTile& tile) {
  return std::max<std::int64_t>(tile.rows_a <= 32 ? 4 : tile.rows_a <= 64 ? 3 : 2, 2 * tile.k_groups);
}
std::int64_t raw_stages(const StreamTile& tile) {
  return tile.rows_a <= 16 ? 8 : tile.rows_a <= 32 ? 4 : tile.rows_a <= 64 ? 3 : 2;
}

/// Steps of 32 of K between moves of sums to float.
std::int64_t steps(const StreamTile& tile) { return tile.scales == StreamScales::row ? 4 : 1; }

std::int64_t groups(const StreamTile& tile) { return tile.row_groups * tile.k_groups; }
std::int64_t threads(const StreamTile& tile) { return 32 * (2 + tile.converters) + 128 * groups(tile); }

/// Of a multiplying thread: sums in the tensor core and outside, codes of two chunks, and the rest.
std::int64_t registers_needed(const StreamTile& tile) { return tile.rows_a / 2 * (1 + 4 / steps(tile)) + 2 * 18 + 32; }
std::int64_t registers_had(const StreamTile& tile) {
  const auto others = (2 + tile.converters) / 4;
  const auto even = std::min<std::int64_t>(65536 / threads(tile) / 8 * 8, 248);
  return std::min<std::int64_t>((even * (groups(tile) + others) - 56 * others) / groups(tile) / 8 * 8, 240);
}

std::string why_no_tile(const StreamTile& tile) {
  if (tile.rows_a < 8 || tile.rows_a > 128 || tile.rows_a % 8 != 0) return "tiles take 8, 16, … 128 rows of A";
  if (tile.row_groups < 1 || tile.k_groups < 1 || groups(tile) > 6) return "blocks have 1 to 6 multiplying warpgroups";
  if (tile.cluster < 1 || tile.cluster > 8) return "clusters have 1 to 8 blocks";
  if (tile.stages < 2 || tile.stages > 16) return "a ring has 2 to 16 stages";
  if (tile.converters != 2 && tile.converters != 6) return "2 or 6 warps convert";
  if (threads(tile) > 1024) return "more than 1024 threads";
  if (registers_needed(tile) > registers_had(tile)) return "sums do not fit into registers";
  if (const auto bytes = stream_shared_bytes(tile); bytes > most_stream_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_stream_shared_bytes);
  return "";
}

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

StreamSizes sizes_of(const Problem& p, const StreamTile& tile) {
  const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  return {.m = narrow(p.m),
          .n = narrow(p.n),
          .k = narrow(p.k),
          .batch = narrow(p.batch),
          .m_tiles = narrow(ceil_div(p.m, tile.rows_a)),
          .w_tiles = narrow(ceil_div(p.n, 64))};
}

std::string define(std::string_view name, std::int64_t value) { return fmt::format("-DSTREAM_{}={}", name, value); }

std::int64_t scale_option(const StreamTile& tile) { return tile.scales == StreamScales::row; }

/// Bricks, then the bases of W's rows, f32, and what packing found of each 64 rows.
struct PackedLayout {
  std::size_t bases{};
  std::size_t found{};
  std::size_t bytes{};
};

struct Found {
  std::uint32_t wide_rows{};
  std::uint32_t binades{};
};

std::int64_t w_tiles(const Problem& p) { return p.batch * ceil_div(p.n, 64); }

PackedLayout packed_layout(const Problem& p) {
  const auto bases = w_tiles(p) * ceil_div(p.k, stream_unit_k) * stream_unit_bytes;
  const auto found = bases + w_tiles(p) * 64 * 4;
  const auto bytes = found + w_tiles(p) * static_cast<std::int64_t>(sizeof(Found));
  return {static_cast<std::size_t>(bases), static_cast<std::size_t>(found), static_cast<std::size_t>(bytes)};
}

std::int64_t most_binades(const StreamTile& tile) {
  return tile.scales == StreamScales::row ? stream_row_binades : stream_block_binades;
}

}  // namespace

std::string why_no_stream(const Problem& problem, const StreamTile& tile) {
  if (problem.k % 32 != 0) return "K must be a multiple of 32";
  if (auto why = why_no_tile(tile); !why.empty()) return why;
  if (problem.batch > most_batches) return "more than 65535 batches";
  if (!fits(problem.m) || !fits(problem.n) || !fits(problem.k) || !fits(stream_tiles(problem, tile)))
    return "too large";
  return "";
}

std::int64_t stream_shared_bytes(const StreamTile& tile) {
  const auto w = groups(tile) * tile.stages * stream_unit_bytes;
  const auto a = a_stages(tile) * (tile.rows_a * stream_unit_k + tile.rows_a * 8 * 4 + tile.rows_a / 4);
  const auto raw = raw_stages(tile) * tile.rows_a * (128 + 16 + 8);
  const auto sums = 64 * tile.rows_a * 4;
  const auto far = ceil_div(tile.row_groups, tile.cluster) * (tile.cluster - 1) * sums;
  const auto barriers =
      2 * groups(tile) * tile.stages + 2 * a_stages(tile) + 2 * raw_stages(tile) + 2 * tile.row_groups;
  return align(align(w + a, 128) + raw, 128) + tile.row_groups * (tile.k_groups - 1) * sums + far + 8 * barriers;
}

std::int64_t stream_tiles(const Problem& problem, const StreamTile& tile) {
  return problem.batch * ceil_div(problem.m, tile.rows_a) * ceil_div(ceil_div(problem.n, 64), tile.row_groups);
}

KernelSource stream_source(const Problem& problem, const StreamTile& tile) {
  return {
      .name = "stream.cu",
      .text = wgmma_from_registers_text(static_cast<int>(tile.rows_a)) + stream_kernel_text(),
      .arch = arch,
      .options = {"--std=c++20", "--device-as-default-execution-space", define("TILE_M", tile.rows_a),
                  define("ROW_GROUPS", tile.row_groups), define("K_GROUPS", tile.k_groups),
                  define("CLUSTER", tile.cluster), define("W_STAGES", tile.stages), define("A_STAGES", a_stages(tile)),
                  define("RAW_STAGES", raw_stages(tile)), define("CONVERTERS", tile.converters),
                  define("ROW_BASE", scale_option(tile)), define("SHARED_BYTES", stream_shared_bytes(tile)),
                  define("BIAS", problem.bias), fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                  fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)}};
}

KernelSource stream_pack_source(const StreamTile& tile) {
  return {.name = "stream_pack.cu",
          .text = stream_pack_kernel_text(),
          .arch = arch,
          .options = {"--std=c++20", "--device-as-default-execution-space", define("ROW_BASE", scale_option(tile))}};
}

StreamGemm::StreamGemm(const Problem& problem, const StreamTile& tile, std::int64_t multiprocessors)
    : problem_(problem),
      tile_(tile),
      packing_([&] {
        if (const auto why = why_no_stream(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return GpuModule(compile_kernel(stream_pack_source(tile)));
      }()),
      multiplying_(compile_kernel(stream_source(problem, tile))),
      pack_(packing_.function("pack_stream")),
      multiply_(multiplying_.function("multiply_stream", static_cast<unsigned>(stream_shared_bytes(tile)))) {
  // As many tiles for each cluster, so that none works alone at the end.
  const auto tiles = stream_tiles(problem, tile);
  const auto clusters = std::max<std::int64_t>(multiprocessors / tile.cluster, 1);
  blocks_ = static_cast<unsigned>(ceil_div(tiles, ceil_div(tiles, clusters)) * tile.cluster);
}

std::size_t StreamGemm::packed_bytes() const { return packed_layout(problem_).bytes; }

void StreamGemm::pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const {
  const auto at = packed_layout(problem_);
  const auto sizes = sizes_of(problem_, tile_);
  packing_.launch(
      stream, pack_,
      {.grid = {static_cast<unsigned>(sizes.w_tiles), static_cast<unsigned>(sizes.batch)}, .block = {pack_threads}}, w,
      w_scale, packed, packed + at.bases, packed + at.found, sizes);
  std::int64_t wide_rows = 0;
  std::uint32_t binades = 0;
  for (const auto& found : read_back<Found>(packed + at.found, w_tiles(problem_), stream)) {
    wide_rows += found.wide_rows;
    binades = std::max(binades, found.binades);
  }
  if (wide_rows == 0) return;
  fail(ErrorCode::unsupported, "{} of {} rows of the weights spread over up to {} binades, and this kernel takes {}",
       wide_rows, problem_.batch * problem_.n, binades, most_binades(tile_));
}

void StreamGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  multiplying_.launch(stream, multiply_,
                      {.grid = {blocks_},
                       .block = {static_cast<unsigned>(threads(tile_))},
                       .shared_bytes = static_cast<unsigned>(stream_shared_bytes(tile_)),
                       .cluster = static_cast<unsigned>(tile_.cluster)},
                      operands.a, operands.a_scale, operands.packed_w,
                      operands.packed_w + packed_layout(problem_).bases, operands.bias, operands.c,
                      sizes_of(problem_, tile_));
}

}  // namespace gemmtune
