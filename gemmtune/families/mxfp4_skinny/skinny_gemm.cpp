#include "gemmtune/families/mxfp4_skinny/skinny_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

// CMake writes this function.
KernelSource skinny_kernel();

namespace {

/// The number of units of A that are converted and waiting, or whose codes are on their way. It is small if units are
/// large.
std::int64_t a_stages(const SkinnyTile& tile) {
  return std::max<std::int64_t>(tile.rows_a <= 32 ? 4 : 3, 2 * tile.k_groups);
}
std::int64_t raw_stages(const SkinnyTile& tile) { return tile.rows_a <= 16 ? 8 : tile.rows_a <= 32 ? 4 : 3; }

std::int64_t groups(const SkinnyTile& tile) { return tile.row_groups * tile.k_groups; }
std::int64_t threads(const SkinnyTile& tile) { return 32 * (2 + tile.converters) + 128 * groups(tile); }

/// Registers of a multiplying thread: sums in the tensor core, of four blocks, and outside, codes of two chunks, and
/// the rest.
std::int64_t registers_needed(const SkinnyTile& tile) { return tile.rows_a / 2 * 5 + 2 * 18 + 32; }
std::int64_t registers_had(const SkinnyTile& tile) {
  const auto others = (2 + tile.converters) / 4;
  const auto even = std::min<std::int64_t>(65536 / threads(tile) / 8 * 8, 248);
  return std::min<std::int64_t>((even * (groups(tile) + others) - 56 * others) / groups(tile) / 8 * 8, 240);
}

std::string why_no_tile(const SkinnyTile& tile) {
  if (tile.rows_a < 8 || tile.rows_a > 64 || tile.rows_a % 8 != 0) return "tiles take 8, 16, … 64 rows of A";
  if (tile.row_groups < 1 || tile.k_groups < 1 || groups(tile) > 6) return "blocks have 1 to 6 multiplying warpgroups";
  if (tile.cluster < 1 || tile.cluster > 8) return "clusters have 1 to 8 blocks";
  if (tile.stages < 2 || tile.stages > 16) return "a ring has 2 to 16 stages";
  if (tile.converters != 2 && tile.converters != 6) return "2 or 6 warps convert";
  if (threads(tile) > 1024) return "more than 1024 threads";
  if (registers_needed(tile) > registers_had(tile)) return "sums do not fit into registers";
  if (const auto bytes = skinny_shared_bytes(tile); bytes > most_small_m_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_small_m_shared_bytes);
  return "";
}

}  // namespace

std::string why_no_skinny(const Problem& problem, const SkinnyTile& tile) {
  if (auto why = why_no_tile(tile); !why.empty()) return why;
  return why_no_small_m_sizes(problem, tile.cut());
}

std::int64_t skinny_shared_bytes(const SkinnyTile& tile) {
  const auto w = groups(tile) * tile.stages * small_m_unit_bytes;
  const auto a = a_stages(tile) * (tile.rows_a * small_m_unit_k + tile.rows_a * 8 * 4);
  const auto raw = raw_stages(tile) * tile.rows_a * (128 + 16 + 8);
  const auto sums = 64 * tile.rows_a * 4;
  const auto far = ceil_div(tile.row_groups, tile.cluster) * (tile.cluster - 1) * sums;
  const auto barriers =
      2 * groups(tile) * tile.stages + 2 * a_stages(tile) + 2 * raw_stages(tile) + 2 * tile.row_groups;
  return round_up(round_up(w + a, 128) + raw, 128) + tile.row_groups * (tile.k_groups - 1) * sums + far + 8 * barriers;
}

KernelSource skinny_source(const Problem& problem, const SkinnyTile& tile) {
  auto source = with_header(skinny_kernel(), "gemmtune/kernels/wgmma_from_registers.cuh",
                            wgmma_from_registers_text(WgmmaOperands::e4m3, static_cast<int>(tile.rows_a)));
  source.arch = "sm90a";
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    small_m_option("FOLDED", 0),
                    small_m_option("TILE_M", tile.rows_a),
                    small_m_option("ROW_GROUPS", tile.row_groups),
                    small_m_option("K_GROUPS", tile.k_groups),
                    small_m_option("CLUSTER", tile.cluster),
                    small_m_option("W_STAGES", tile.stages),
                    small_m_option("A_STAGES", a_stages(tile)),
                    small_m_option("RAW_STAGES", raw_stages(tile)),
                    small_m_option("CONVERTERS", tile.converters),
                    small_m_option("SHARED_BYTES", skinny_shared_bytes(tile)),
                    small_m_option("BIAS", problem.epilogue.bias),
                    fmt::format("-DOUT_BYTES={}", storage_bytes(problem.out, 1)),
                    fmt::format("-DOUT_IS_F16={:d}", problem.out == DType::f16)};
  return source;
}

SkinnyGemm::SkinnyGemm(const Problem& problem, const SkinnyTile& tile, std::int64_t multiprocessors)
    : problem_(problem),
      tile_(tile),
      blocks_([&] {
        if (const auto why = why_no_skinny(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
        return small_m_blocks(problem, tile.cut(), multiprocessors);
      }()),
      packer_(problem, PackedScales::block),
      module_(compile_kernel(skinny_source(problem, tile))),
      multiply_(module_.function("multiply_skinny", static_cast<unsigned>(skinny_shared_bytes(tile)))) {}

void SkinnyGemm::launch(const Operands& operands, Stream& stream) const noexcept {
  module_.launch(stream, multiply_,
                 {.grid = {blocks_},
                  .block = {static_cast<unsigned>(threads(tile_))},
                  .shared_bytes = static_cast<unsigned>(skinny_shared_bytes(tile_)),
                  .cluster = static_cast<unsigned>(tile_.cluster),
                  .start = LaunchStart::early},
                 operands.a, operands.a_scale, operands.packed_w, operands.packed_w + packer_.bases(), operands.bias,
                 operands.c, small_m_sizes(problem_, tile_.rows_a));
}

}  // namespace gemmtune
