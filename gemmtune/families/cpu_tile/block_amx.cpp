// AMX: blocks of 16 rows × 16 columns, of int8 or of bf16. Each group of weights that has a scale of its own is one
// product of tiles, whose sums are then scaled and added with AVX-512. Register 0 holds sums, 1 a row tile and 2
// weights.
#include "gemmtune/families/cpu_tile/block_avx512_rows.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr int height = 16;
constexpr int line = 64;

/// The operand of LDTILECFG (Intel SDM, "TILECFG").
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

/// Tiles for products of `row_bytes` bytes of each row of A.
constexpr TileConfig config_for(int row_bytes) {
  TileConfig config;
  config.row_bytes[0] = line;
  config.rows[0] = height;
  config.row_bytes[1] = static_cast<std::uint16_t>(row_bytes);
  config.rows[1] = height;
  config.row_bytes[2] = line;
  config.rows[2] = static_cast<std::uint8_t>(row_bytes / 4);
  return config;
}

/// 2·E2M1 and int4 as signed bytes.
alignas(16) constexpr signed char e2m1_bytes[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
alignas(16) constexpr signed char int4_bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

struct Int8Tiles {
  static constexpr BlockRows form = BlockRows::int8;
  static constexpr int row_bytes = 32;
  using Sum = std::int32_t;

  /// Decodes a block to [k / 4][16][4].
  template <BlockWeights W>
  static void decode(const std::byte* values, std::byte* out) {
    const signed char* codes = W == BlockWeights::q4_0 ? int4_bytes : e2m1_bytes;
    const __m512i table = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(codes)));
    const __m512i nibble = _mm512_set1_epi8(15);
    for (int g = 0; g < 4; ++g) {
      const __m512i both = bytes_at(values + 64 * g);
      prefetch(values + 64 * g);
      const __m512i high = _mm512_and_si512(_mm512_srli_epi16(both, 4), nibble);
      _mm512_store_si512(out + 128 * g, _mm512_shuffle_epi8(table, _mm512_and_si512(both, nibble)));
      _mm512_store_si512(out + 128 * g + 64, _mm512_shuffle_epi8(table, high));
    }
  }

  static void multiply(const std::byte* a, const std::byte* w, Sum* sums) {
    _tile_zero(0);
    _tile_loadd(1, a, row_bytes);
    _tile_loadd(2, w, line);
    _tile_dpbssd(0, 1, 2);
    _tile_stored(0, sums, line);
  }

  template <BlockWeights W>
  static __m512 scales(const std::byte* from, int group) {
    constexpr bool doubled = W == BlockWeights::mxfp4 || W == BlockWeights::nvfp4;
    const __m512 columns = block_scales<W>(from, group);
    return doubled ? _mm512_mul_ps(columns, _mm512_set1_ps(0.5F)) : columns;
  }

  static __m512 add_scaled(const Sum* sums, __m512 columns, float row, __m512 to) {
    const __m512 dots = _mm512_cvtepi32_ps(_mm512_load_si512(sums));
    return _mm512_fmadd_ps(dots, _mm512_mul_ps(columns, _mm512_set1_ps(row)), to);
  }
};

struct Bf16Tiles {
  static constexpr BlockRows form = BlockRows::bf16_pairs;
  static constexpr int row_bytes = 64;
  using Sum = float;

  /// Decodes a block to pairs [16][16], in the order of the rows' pairs.
  template <BlockWeights W>
  static void decode(const std::byte* values, std::byte* out) {
    const __m512i table = _mm512_load_si512(W == BlockWeights::q4_0 ? int4_words : e2m1_words);
    for (int g = 0; g < 4; ++g) {
      __m512i codes = bytes_at(values + 64 * g);
      prefetch(values + 64 * g);
      for (int i = 0; i < 4; ++i) {
        _mm512_store_si512(out + 256 * g + 64 * i, _mm512_permutexvar_epi16(codes, table));
        codes = _mm512_srli_epi16(codes, 4);
      }
    }
  }

  static void multiply(const std::byte* a, const std::byte* w, Sum* sums) {
    _tile_zero(0);
    _tile_loadd(1, a, row_bytes);
    _tile_loadd(2, w, line);
    _tile_dpbf16ps(0, 1, 2);
    _tile_stored(0, sums, line);
  }

  template <BlockWeights W>
  static __m512 scales(const std::byte* from, int group) {
    return block_scales<W>(from, group);
  }

  static __m512 add_scaled(const Sum* sums, __m512 columns, float /*row*/, __m512 to) {
    return _mm512_fmadd_ps(_mm512_load_ps(sums), columns, to);
  }
};

template <typename Tiles, BlockWeights W>
void add_block(const std::byte* a, const std::byte* values, const std::byte* scales, __m512 (&sums)[height]) {
  constexpr int groups = groups_of(W);
  alignas(64) std::byte decoded[16 * 64];
  alignas(64) typename Tiles::Sum dots[height][block_columns];
  const std::byte* w = values;
  if constexpr (has_nibbles(W)) {
    Tiles::template decode<W>(values, decoded);
    w = decoded;
  }
  const auto* rows = reinterpret_cast<const float*>(a + height * Tiles::row_bytes);
  for (int group = 0; group < groups; ++group) {
    constexpr int bytes = Tiles::row_bytes / groups;
    Tiles::multiply(a + group * bytes, w + group * bytes / 4 * line, &dots[0][0]);
    const __m512 columns = Tiles::template scales<W>(scales, group);
    GT_UNROLL_ALL for (int r = 0; r < height; ++r) {
      const float row = Tiles::form == BlockRows::int8 ? rows[r] : 1.0F;
      sums[r] = Tiles::add_scaled(dots[r], columns, row, sums[r]);
    }
  }
}

template <typename Tiles, BlockWeights W>
void amx_tile(const BlockTileJob& job) {
  static constexpr TileConfig config = config_for(Tiles::row_bytes / groups_of(W));
  _tile_loadconfig(&config);
  __m512 sums[height];
  GT_UNROLL_ALL for (int r = 0; r < height; ++r) {
    sums[r] = job.accumulate != 0 ? _mm512_loadu_ps(job.c + r * block_columns) : _mm512_setzero_ps();
  }
  constexpr std::int64_t extra = Tiles::form == BlockRows::int8 ? 4 + 4 * groups_of(W) : 0;
  for (std::int64_t b = 0; b < job.blocks; ++b) {
    const std::byte* step = job.w + b / blocks_of_step * step_bytes(W);
    const std::int64_t inside = b % blocks_of_step;
    add_block<Tiles, W>(job.a + b * height * (Tiles::row_bytes + extra), step + inside * value_bytes(W),
                        step + blocks_of_step * value_bytes(W) + inside * scale_bytes(W), sums);
  }
  GT_UNROLL_ALL for (int r = 0; r < height; ++r) _mm512_storeu_ps(job.c + r * block_columns, sums[r]);
  _tile_release();
}

template <typename Tiles>
BlockTileFunction find_amx_tile(const BlockTileKey& key) {
  switch (key.weights) {
    case BlockWeights::mxfp4:
      return &amx_tile<Tiles, BlockWeights::mxfp4>;
    case BlockWeights::nvfp4:
      return &amx_tile<Tiles, BlockWeights::nvfp4>;
    case BlockWeights::q4_0:
      return &amx_tile<Tiles, BlockWeights::q4_0>;
    case BlockWeights::q8_0:
      if constexpr (Tiles::form == BlockRows::int8) return &amx_tile<Tiles, BlockWeights::q8_0>;
      return nullptr;
  }
  return nullptr;
}

std::int64_t amx_height(std::int64_t rows) { return rows <= height ? height : 0; }

template <typename Tiles>
constexpr BlockKernels amx_kernels(BlockRowFunction pack_row) {
  return {.form = Tiles::form,
          .tallest = height,
          .height = &amx_height,
          .tile = &find_amx_tile<Tiles>,
          .pack_row = pack_row};
}

}  // namespace

const BlockKernels& block_int8_amx() {
  static constexpr BlockKernels kernels = amx_kernels<Int8Tiles>(&quantise_row);
  return kernels;
}

const BlockKernels& block_bf16_amx() {
  static constexpr BlockKernels kernels = amx_kernels<Bf16Tiles>(&copy_pairs);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
