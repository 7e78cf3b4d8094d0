// The operand recipe (gemm/draw.h) as arithmetic on counters: which number stands at which place. Like
// gemm/element_codecs.h, text that the run-time compilers of GPUs take as well.
#pragma once

#include <bit>
#include <cstdint>

namespace gemmtune {

enum class Tensor : std::uint64_t { a = 1, w = 2, bias = 3, residual = 4 };

/// What the drawn values look like before they are quantised. Rows count over [batch, rows]; blocks are of 32 along K,
/// and block j of row r has the number r · ceil(K/32) + j.
enum class Recipe : std::uint8_t {
  gaussian,        // counter_gaussian of the element's flat index over [batch, rows, K]: the default, and what is timed
  one_sign,        // its magnitude: nothing cancels, so lost low bits add up
  wide_exponents,  // gaussian, block b times 2^(counter_bits(block_stream + b) % 25 - 12): scales far apart in a row
  zero_blocks,     // gaussian, block b zero where counter_bits(block_stream + b) % 4 is 0, and of each 16 whole rows
                   // 16g … 16g+15 the one with r % 16 = counter_bits(row_stream + g) % 16
  nan_scales,      // gaussian; of operands with E8M0 scales a few scale bytes are 255: ceil(R/32) for the weights' R
                   // rows, or ceil(R/1024) if 32 rows share scales, floor(R/32) for A's. The i-th is of row
                   // h % 2^32 % R, column (h >> 32) % ceil(K/32), h = counter_bits(row_stream + i). Rows and columns
                   // of C that they touch must come out NaN
  wide_rows,       // gaussian, each row times a power of two (RowSpread): rows, and their scales, far apart
  nan_inf,         // gaussian; after quantising, a few elements of types that have them are NaN and infinite: of R rows
                   // min(ceil(R/32), R - 1) are NaN, then min(ceil(R/32), R - 2) infinite. The i-th of all is in row
                   // h % 2^32 % R, column (h >> 32) % K, h as above
};

/// Indices from here on are no elements': where the decisions on blocks, on rows and on groups of rows are drawn.
inline constexpr std::uint64_t block_stream = std::uint64_t{1} << 63;
inline constexpr std::uint64_t row_stream = std::uint64_t{1} << 62;
inline constexpr std::uint64_t group_stream = std::uint64_t{1} << 61;

/// One tensor's numbers, with what depends on seed and tensor alone worked out once. See counter_bits and
/// counter_gaussian in gemm/draw.h.
class Counter {
 public:
  constexpr Counter(std::uint64_t seed, Tensor tensor)
      : start_(mix(seed + static_cast<std::uint64_t>(tensor) * golden)) {}

  constexpr std::uint64_t bits(std::uint64_t index) const { return mix(start_ + (index + 1) * golden); }

  constexpr float gaussian(std::uint64_t index) const {
    constexpr std::uint64_t every_other = 0x0000ffff0000ffffULL;
    const std::uint64_t quarters = bits(index);
    const std::uint64_t pairs = (quarters & every_other) + ((quarters >> 16) & every_other);
    const auto sum = static_cast<std::int32_t>(pairs) + static_cast<std::int32_t>(pairs >> 32);
    return static_cast<float>(sum - 131070) * 0x1.bb67aep-16F;
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t start_{};
};

/// By which powers of two wide_rows multiplies the rows of one operand. Rows that share their scales are a group: a
/// group's exponent is anywhere within its reach, which scales can hold, and a row's is a little below the group's,
/// which elements can hold.
struct RowSpread {
  std::int32_t shift{};            // added to all exponents
  std::int32_t reach{};            // of a group: from -reach to reach, by counter_bits(group_stream + group)
  std::int32_t depth{};            // of a row below its group: from 0 to depth, by counter_bits(row_stream + row)
  std::int64_t rows_of_matrix{1};  // groups do not go over the end of a matrix of the batch
  std::int64_t rows_of_group{1};

  constexpr std::int64_t group(std::int64_t row) const {
    const std::int64_t groups_of_matrix = (rows_of_matrix + rows_of_group - 1) / rows_of_group;
    return row / rows_of_matrix * groups_of_matrix + row % rows_of_matrix / rows_of_group;
  }
};

/// Rows × K of one operand, batches one below the other: what a recipe makes of its counter.
struct OperandDraw {
  static constexpr std::int64_t block_length = 32;

  Counter counter;
  Recipe recipe{};
  std::int64_t rows{};
  std::int64_t k{};
  RowSpread spread{};             // for wide_rows
  std::int64_t scale_length{32};  // elements along K that share an E8M0 scale, for nan_scales

  constexpr std::int64_t blocks() const { return (k + block_length - 1) / block_length; }
  constexpr std::int64_t scales_of_row() const { return (k + scale_length - 1) / scale_length; }

  constexpr bool scales_blocks() const { return recipe == Recipe::wide_exponents || recipe == Recipe::zero_blocks; }

  /// Before blocks are scaled.
  constexpr float unscaled(std::int64_t row, std::int64_t column) const {
    const float value = counter.gaussian(static_cast<std::uint64_t>(row * k + column));
    return recipe == Recipe::one_sign && value < 0 ? -value : value;
  }

  /// What the elements of a block are multiplied with, in rows that are not zero as a whole.
  constexpr float block_factor(std::int64_t row, std::int64_t block) const {
    const std::uint64_t drawn = counter.bits(block_stream + static_cast<std::uint64_t>(row * blocks() + block));
    if (recipe == Recipe::zero_blocks) return drawn % 4 == 0 ? 0.0F : 1.0F;
    return power_of_two(static_cast<std::int32_t>(drawn % 25) - 12);
  }

  /// What the elements of a row are multiplied with under wide_rows.
  constexpr float row_factor(std::int64_t row) const {
    const std::uint64_t of_group = counter.bits(group_stream + static_cast<std::uint64_t>(spread.group(row)));
    const std::uint64_t of_row = counter.bits(row_stream + static_cast<std::uint64_t>(row));
    const std::uint64_t choices = 2 * static_cast<std::uint64_t>(spread.reach) + 1;
    const auto above = static_cast<std::int32_t>(of_group % choices) - spread.reach;
    const auto below = static_cast<std::int32_t>(of_row % (static_cast<std::uint64_t>(spread.depth) + 1));
    return power_of_two(spread.shift + above - below);
  }

  constexpr bool is_zero_row(std::int64_t row) const {
    const std::int64_t group = row / 16;
    if (recipe != Recipe::zero_blocks || group * 16 + 16 > rows) return false;
    return row % 16 == static_cast<std::int64_t>(counter.bits(row_stream + static_cast<std::uint64_t>(group)) % 16);
  }

  /// One element, for whoever does not go row by row.
  constexpr float element(std::int64_t row, std::int64_t column) const {
    if (recipe == Recipe::wide_rows) return unscaled(row, column) * row_factor(row);
    if (!scales_blocks()) return unscaled(row, column);
    const float factor = is_zero_row(row) ? 0.0F : block_factor(row, column / block_length);
    return factor == 0.0F ? 0.0F : unscaled(row, column) * factor;
  }

  /// Which E8M0 scale is the i-th that nan_scales spoils.
  constexpr std::int64_t spoiled_scale(std::int64_t i) const {
    const std::uint64_t drawn = counter.bits(row_stream + static_cast<std::uint64_t>(i));
    const auto row = static_cast<std::int64_t>((drawn & 0xffffffffU) % static_cast<std::uint64_t>(rows));
    return spread.group(row) * scales_of_row() +
           static_cast<std::int64_t>((drawn >> 32) % static_cast<std::uint64_t>(scales_of_row()));
  }

  /// Which element is the i-th that nan_inf spoils.
  constexpr std::int64_t spoiled_element(std::int64_t i) const {
    const std::uint64_t drawn = counter.bits(row_stream + static_cast<std::uint64_t>(i));
    const auto row = static_cast<std::int64_t>((drawn & 0xffffffffU) % static_cast<std::uint64_t>(rows));
    return row * k + static_cast<std::int64_t>((drawn >> 32) % static_cast<std::uint64_t>(k));
  }

 private:
  static constexpr float power_of_two(std::int32_t exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
  }
};

}  // namespace gemmtune
