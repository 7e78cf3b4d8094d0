#include "gemmtune/gemm/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::vector<std::byte> random_bytes(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random() % 255 + 1);  // never 0, which is the padding
  return bytes;
}

/// AITER's own definition: [rows, cols] seen as `sizes`, its axes then put in the order `order`.
std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& sizes, const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * sizes[i];
  std::vector<std::int64_t> sources{0};
  for (const std::size_t axis : order) {
    std::vector<std::int64_t> next;
    for (const std::int64_t base : sources)
      for (std::int64_t i = 0; i < sizes[axis]; ++i) next.push_back(base + i * strides[axis]);
    sources = std::move(next);
  }
  return sources;
}

TEST(Layout, ScalesAreThePermutationOfTheirView) {
  constexpr std::int64_t rows = 512;
  constexpr std::int64_t cols = 24;
  const auto scales = random_bytes(rows * cols, 1);
  const auto shuffled = shuffle_scales(scales, rows, cols);
  const auto sources = permuted({rows / 32, 2, 16, cols / 8, 2, 4}, {0, 3, 5, 2, 4, 1});
  ASSERT_EQ(shuffled.size(), sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) ASSERT_EQ(shuffled[i], scales[sources[i]]) << i;
}

TEST(Layout, WeightsAreThePermutationOfTheirView) {
  constexpr std::int64_t n = 48;
  constexpr std::int64_t row_bytes = 96;
  const auto weights = random_bytes(n * row_bytes, 2);
  const auto shuffled = shuffle_weights(weights, n, row_bytes);
  const auto sources = permuted({n / 16, 16, row_bytes / 32, 2, 16}, {0, 2, 3, 1, 4});
  for (std::size_t i = 0; i < sources.size(); ++i) ASSERT_EQ(shuffled[i], weights[sources[i]]) << i;
}

TEST(Layout, ScaleIndicesAreABijection) {
  for (const std::int64_t padded_cols : {8, 40}) {
    std::set<std::int64_t> seen;
    for (std::int64_t row = 0; row < 256; ++row)
      for (std::int64_t col = 0; col < padded_cols; ++col) seen.insert(shuffled_scale_index(row, col, padded_cols));
    EXPECT_EQ(seen.size(), 256 * padded_cols);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), 256 * padded_cols - 1);
  }
}

TEST(Layout, UnshufflingInvertsShufflingAndPaddingIsZero) {
  for (const auto& [rows, cols] : {std::pair{1, 1}, {33, 9}, {256, 8}, {257, 17}, {100, 1132}}) {
    const auto scales = random_bytes(rows * cols, 3);
    const auto shuffled = shuffle_scales(scales, rows, cols);
    EXPECT_EQ(shuffled.size(), (rows + 255) / 256 * 256 * ((cols + 7) / 8 * 8));
    EXPECT_EQ(std::count(shuffled.begin(), shuffled.end(), std::byte{0}),
              static_cast<std::int64_t>(shuffled.size()) - rows * cols);
    EXPECT_EQ(unshuffle_scales(shuffled, rows, cols), scales);
  }
  for (const auto& [n, row_bytes] : {std::pair{16, 32}, {32, 160}, {80, 64}}) {
    const auto weights = random_bytes(n * row_bytes, 4);
    const auto shuffled = shuffle_weights(weights, n, row_bytes);
    EXPECT_NE(shuffled, weights);
    EXPECT_EQ(unshuffle_weights(shuffled, n, row_bytes), weights);
  }
}

TEST(Layout, SizesThatDoNotFitAreRefused) {
  const auto bytes = random_bytes(16 * 48, 5);
  EXPECT_THROW(shuffle_weights(bytes, 16, 48), Error);
  EXPECT_THROW(unshuffle_weights(bytes, 24, 32), Error);
  EXPECT_THROW(shuffle_weights(bytes, 16, 32), Error);
  EXPECT_THROW(shuffle_scales(bytes, 10, 10), Error);
  EXPECT_THROW(unshuffle_scales(bytes, 16, 48), Error);
}

}  // namespace
}  // namespace gemmtune
