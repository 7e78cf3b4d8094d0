// What the kernels for weights in scaled blocks share: the layout of rows and columns in memory, and the functions that
// each instruction set provides. Weights are MXFP4, NVFP4, Q4_0 or Q8_0. Rows of A are floats, or are quantised to int8
// in the call. Each block of 32 along K is summed for itself, and its sum is then scaled and added to a float.
//
// Rows of A are stored in row panels of a tile's height h. A panel holds, for each block: h rows of 32 values; and for
// int8 then h scales (f32) and, for each group of weights that has a scale of its own, h corrections (int32).
//
// Columns (rows of the weights) are stored in column panels of 16, in steps of four blocks. A step holds the values of
// its blocks, and then their scales. In each 64 bytes of 4-bit values, byte 4·column + j has k = 8g + j in its low
// nibble and k = 8g + 4 + j in its high one. 8-bit values are [k / 4][16][4].
//
// This header is included by files compiled for other CPUs than this one, so it has plain structs only and nothing
// inline.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/families/cpu_tile/float_kernels.h"

namespace gemmtune::cpu_tile {

enum class BlockWeights : std::uint8_t { mxfp4, nvfp4, q4_0, q8_0 };

/// The form in which a kernel reads A.
enum class BlockRows : std::uint8_t {
  int8,        // quantised by gemm/q8.h
  bf16_pairs,  // for each 8 of K the pairs (0, 2), (4, 6), (1, 3), (5, 7), which is the order of decoded nibbles
  f32,
};

/// How the scale of a row's block meets that of a column's.
enum class BlockScaling : std::uint8_t {
  multiply,
  add_exponents,  // for powers of two on the columns' side: no product of scales may leave the normal floats
};

constexpr std::int64_t block_length = 32;  // of K
constexpr std::int64_t blocks_of_step = 4;
constexpr std::int64_t block_columns = 16;  // of a column panel

/// c (+)= a·w over some blocks, for a row panel and a column panel.
struct BlockTileJob {
  const std::byte* a{};  // the row panel at the first block
  const std::byte* w{};  // the column panel at the first block, which is the first of a step
  std::int64_t blocks{};
  std::int64_t height{};      // of the row panel
  float* c{};                 // [rows][16]
  std::int64_t accumulate{};  // 0: c is overwritten; otherwise the product is added to it
  std::int64_t next_c{};      // floats from c to that of the next column panel, for tiles of decoded panels
};
using BlockTileFunction = void (*)(const BlockTileJob&);

struct BlockTileKey {
  BlockWeights weights{};
  BlockScaling scaling{};
  std::int64_t rows{};
};

/// Writes consecutive blocks of one row of A to its panel. For int8, values are quantised, and the smallest and the
/// largest bits of the scales are returned.
struct BlockRowJob {
  const std::byte* row{};  // at its first element
  Source source{};
  std::int64_t k{};  // elements of the row
  std::int64_t first_block{};
  std::int64_t last_block{};
  std::byte* panel{};          // the row panel at block 0
  std::int64_t block_bytes{};  // from one block of the panel to the next
  std::int64_t height{};
  std::int64_t inside{};  // the row's place in the panel
  std::int64_t groups{};  // of weights in a block, for int8
  std::int64_t offset{};  // that weights have as unsigned bytes: corrections are -offset · (sum of the group)
};

struct ScaleExtent {
  std::uint32_t least{0xffffffffU};
  std::uint32_t most{};
};
using BlockRowFunction = ScaleExtent (*)(const BlockRowJob&);

/// Decodes some blocks of a column panel.
struct BlockDecodeJob {
  const std::byte* w{};  // the column panel at the first block, which is the first of a step
  std::int64_t blocks{};
  std::byte* out{};
  std::int64_t out_bytes{};  // from one block of `out` to the next
};
using BlockDecodeFunction = void (*)(const BlockDecodeJob&);

/// Tiles for many rows. Their columns are decoded to memory once, and then read by all row panels of a task. A tile has
/// several column panels, so that each value of A that is read is multiplied several times.
struct DecodedKernels {
  std::int64_t height{};  // of row panels; the last one of a matrix may have a lower tile
  std::int64_t panels{};  // of columns in a tile; decoded, block b of all of them precedes block b + 1
  std::int64_t (*block_bytes)(BlockWeights weights){};       // of a decoded block of one panel
  BlockDecodeFunction (*decode)(const BlockTileKey& key){};  // whatever the key's rows
  BlockTileFunction (*tile)(const BlockTileKey& key){};
};

/// The kernels of one instruction set for one form of rows.
struct BlockKernels {
  BlockRows form{};
  std::int64_t tallest{};
  std::int64_t (*height)(std::int64_t rows){};           // of the lowest tile that holds so many rows; 0: there is none
  BlockTileFunction (*tile)(const BlockTileKey& key){};  // null if there is none
  BlockRowFunction pack_row{};
  const DecodedKernels* decoded{};  // null if there are none
};

const BlockKernels& block_int8_portable();
const BlockKernels& block_int8_avx2();
const BlockKernels& block_int8_avxvnni();
const BlockKernels& block_int8_avx512vnni();
const BlockKernels& block_int8_amx();
const BlockKernels& block_int8_neondot();
const BlockKernels& block_int8_neoni8mm();
const BlockKernels& block_f32_portable();
const BlockKernels& block_f32_avx2();
const BlockKernels& block_f32_avx512();
const BlockKernels& block_f32_neon();
const BlockKernels& block_bf16_avx512();
const BlockKernels& block_bf16_amx();

}  // namespace gemmtune::cpu_tile
