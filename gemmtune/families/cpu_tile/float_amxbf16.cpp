// Pairs of bf16 with AMX: tiles of 16 × 16 sums, one or two of them along each side.
#include <immintrin.h>

#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_avx512.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t edge = 16;  // rows of a tile, and its 32-bit columns

/// The operand of LDTILECFG: palette 1, and all eight tiles have 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette{1};
  std::uint8_t start_row{};
  std::uint8_t reserved[14]{};
  std::uint16_t row_bytes[16]{64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16]{16, 16, 16, 16, 16, 16, 16, 16};
};

constexpr TileConfig config{};

void enter_tiles() { _tile_loadconfig(&config); }

void leave_tiles() { _tile_release(); }

/// Tiles 0 1 / 2 3 hold C, tiles 4 5 hold A, tiles 6 7 hold W. There are four blocks because tile numbers are part of
/// the instructions.
template <int R, int C>
void amx_tile(const TileArgs& args) {
  constexpr std::int64_t w_stride = C * edge * 4;
  constexpr std::int64_t c_stride = C * edge * 4;
  float* const c2 = args.c + edge * C * edge;
  constexpr std::int64_t a_stride = edge * 4;
  if (args.accumulate != 0) {
    _tile_loadd(0, args.c, c_stride);
    if constexpr (C == 2) _tile_loadd(1, args.c + edge, c_stride);
    if constexpr (R == 2) _tile_loadd(2, c2, c_stride);
    if constexpr (R == 2 && C == 2) _tile_loadd(3, c2 + edge, c_stride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (std::int64_t k = 0; k < args.depth; k += edge) {
    const float* a = args.a + k * R * edge;
    const float* w = args.w + k * C * edge;
    _tile_loadd(4, a, a_stride);
    if constexpr (R == 2) _tile_loadd(5, a + edge * edge, a_stride);
    _tile_loadd(6, w, w_stride);
    if constexpr (C == 2) _tile_loadd(7, w + edge, w_stride);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (C == 2) _tile_dpbf16ps(1, 4, 7);
    if constexpr (R == 2) _tile_dpbf16ps(2, 5, 6);
    if constexpr (R == 2 && C == 2) _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, args.c, c_stride);
  if constexpr (C == 2) _tile_stored(1, args.c + edge, c_stride);
  if constexpr (R == 2) _tile_stored(2, c2, c_stride);
  if constexpr (R == 2 && C == 2) _tile_stored(3, c2 + edge, c_stride);
}

std::int64_t most_amx_rows(std::int64_t vectors) { return vectors == 1 || vectors == 2 ? 2 * edge : 0; }

FloatTileKernel find_amx_tile(std::int64_t rows, std::int64_t vectors) {
  if (rows < 1 || rows > 2 * edge || most_amx_rows(vectors) == 0) return {};
  if (rows <= edge) return {vectors == 1 ? &amx_tile<1, 1> : &amx_tile<1, 2>, edge};
  return {vectors == 1 ? &amx_tile<2, 1> : &amx_tile<2, 2>, 2 * edge};
}

StreamFunction no_stream(Source, const StreamShape&) { return nullptr; }

}  // namespace

const FloatKernels& float_kernels_amxbf16() {
  static constexpr FloatKernels kernels = {.width = edge,
                                           .depth_step = edge,
                                           .pairs = true,
                                           .most_rows = &most_amx_rows,
                                           .tile = &find_amx_tile,
                                           .pack = &find_pack<VecAvx512>,
                                           .row = &find_row<VecAvx512>,
                                           .widen = &find_widen<VecAvx512>,
                                           .stream = &no_stream,
                                           .finish = &find_finish<VecAvx512>,
                                           .enter = &enter_tiles,
                                           .leave = &leave_tiles};
  return kernels;
}

}  // namespace gemmtune::cpu_tile
