// Rows of MXFP4 made to a test's order: block exponents with a given spread, blocks of zeros, NaN among the scales.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gemmtune/gemm/numeric.h"

namespace gemmtune {

struct Mxfp4Rows {
  std::int64_t rows{};
  std::int64_t k{};
  std::vector<std::uint8_t> values{};  // [rows][k / 2]
  std::vector<std::uint8_t> e8m0{};    // [rows][k / 32]

  std::int64_t blocks() const { return k / 32; }
  std::uint8_t scale(std::int64_t row, std::int64_t block) const { return e8m0[row * blocks() + block]; }
  std::uint8_t code(std::int64_t row, std::int64_t column) const {
    return values[(row * k + column) / 2] >> (column % 2 * 4) & 15;
  }
  double value(std::int64_t row, std::int64_t column) const {
    const auto byte = scale(row, column / 32);
    if (byte == 255) return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp(static_cast<double>(e2m1_to_float(code(row, column))), byte - 127);
  }
  std::vector<double> real() const {
    std::vector<double> all;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < k; ++column) all.push_back(value(row, column));
    return all;
  }
  bool is_zero_block(std::int64_t row, std::int64_t block) const {
    for (std::int64_t column = block * 32; column < block * 32 + 32; ++column)
      if ((code(row, column) & 7) != 0) return false;
    return true;
  }
};

/// How a row is made. Exponents are drawn from [low, low + spread]. Both ends occur where two or more blocks are not
/// zeros.
struct RowKind {
  int low{};
  int spread{};
  bool zero_blocks{};  // about a third of the blocks, with scales of any size
  bool nan{};
  bool zeros{};  // all values are zeros
  bool positive{};
};

inline void make_row(Mxfp4Rows& all, std::int64_t row, const RowKind& kind, std::mt19937_64& random) {
  const auto draw = [&](int from, int to) {
    return static_cast<int>(random() % static_cast<unsigned>(to - from + 1)) + from;
  };
  std::vector<std::int64_t> filled;
  for (std::int64_t block = 0; block < all.blocks(); ++block) {
    const bool zero = kind.zeros || (kind.zero_blocks && draw(0, 2) == 0);
    const int mask = zero ? 0x88 : kind.positive ? 0x77 : 0xff;
    auto& scale = all.e8m0[row * all.blocks() + block];
    scale = static_cast<std::uint8_t>(zero ? draw(0, 254) : kind.low + draw(0, kind.spread) + 127);
    for (std::int64_t i = 0; i < 16; ++i)
      all.values[row * all.k / 2 + block * 16 + i] = static_cast<std::uint8_t>(draw(0, 255) & mask);
    if (!zero) all.values[row * all.k / 2 + block * 16] |= 0x07;
    if (!zero) filled.push_back(block);
  }
  if (filled.size() > 1) {
    all.e8m0[row * all.blocks() + filled.front()] = static_cast<std::uint8_t>(kind.low + 127);
    all.e8m0[row * all.blocks() + filled.back()] = static_cast<std::uint8_t>(kind.low + kind.spread + 127);
  }
  if (kind.nan) all.e8m0[row * all.blocks() + draw(0, static_cast<int>(all.blocks()) - 1)] = 255;
}

/// A row of each kind in turn.
inline Mxfp4Rows make_rows(std::int64_t rows, std::int64_t k, const std::vector<RowKind>& kinds, std::uint64_t seed) {
  Mxfp4Rows all{.rows = rows, .k = k};
  all.values.resize(rows * k / 2);
  all.e8m0.resize(rows * k / 32);
  std::mt19937_64 random(seed);
  for (std::int64_t row = 0; row < rows; ++row) make_row(all, row, kinds[row % kinds.size()], random);
  return all;
}

/// Every spread from 0 to 20, with and without blocks of zeros, at exponents of all sizes; NaN; zeros.
inline std::vector<RowKind> all_kinds() {
  std::vector<RowKind> kinds;
  for (int spread = 0; spread <= 20; ++spread)
    for (const int low : {-127, -75, -66, -3, 44, 61, 100})
      kinds.push_back({.low = low, .spread = spread, .zero_blocks = (spread + low) % 2 == 0});
  kinds.push_back({.spread = 3, .nan = true});
  kinds.push_back({.spread = 18, .zero_blocks = true, .nan = true});
  kinds.push_back({.zeros = true});
  return kinds;
}

}  // namespace gemmtune
