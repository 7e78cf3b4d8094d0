#include "gemmtune/families/cpu_tile/mxfp4_fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gemmtune/gemm/numeric.h"

namespace gemmtune::cpu_tile {
namespace {

/// Folds a row of blocks of 32 ones (code 2) with these scales. Blocks for which `present` is false are zeros.
Fold fold(const std::vector<std::uint8_t>& scales, const std::vector<bool>& present = {}) {
  std::vector<std::uint8_t> codes(scales.size() * 16, 0x22);
  for (std::size_t b = 0; b < present.size(); ++b) {
    if (!present[b])
      std::fill_n(codes.begin() + static_cast<std::ptrdiff_t>(b) * 16, 16, std::uint8_t{0x80});  // 0 and -0
  }
  return fold_of({.codes = codes.data(), .scales = scales.data(), .k = static_cast<std::int64_t>(scales.size()) * 32});
}

TEST(Mxfp4Fold, TakesSpreadsUpToThree) {
  EXPECT_EQ(fold({120, 123, 121}), (Fold{FoldKind::folded, 120}));
  EXPECT_EQ(fold({120, 124}).kind, FoldKind::blocks);
  EXPECT_EQ(fold({254, 251}), (Fold{FoldKind::folded, 251}));
  EXPECT_EQ(fold({0}), (Fold{FoldKind::folded, 0}));
}

TEST(Mxfp4Fold, LeavesZeroBlocksOut) {
  EXPECT_EQ(fold({0, 120, 122}, {false, true, true}), (Fold{FoldKind::folded, 120}));
  EXPECT_EQ(fold({0, 120, 254}, {false, true, false}), (Fold{FoldKind::folded, 120}));
  EXPECT_EQ(fold({0, 254}, {false, false}).kind, FoldKind::folded);
  EXPECT_EQ(fold({0, 120, 124}, {false, true, true}).kind, FoldKind::blocks);
}

TEST(Mxfp4Fold, SeesNanEvenOverZeros) {
  EXPECT_EQ(fold({255, 120}).kind, FoldKind::nan);
  EXPECT_EQ(fold({120, 255}, {true, false}).kind, FoldKind::nan);
  EXPECT_TRUE(std::isnan(row_factor(fold({255}))));
}

TEST(Mxfp4Fold, UnitIsHalfTheScale) {
  for (int b = 0; b < 255; ++b) {
    const auto scale = static_cast<std::uint8_t>(b);
    EXPECT_EQ(unit_of(scale), static_cast<double>(e8m0_to_float(scale)) / 2) << b;
    EXPECT_EQ(row_factor({.base = scale}), static_cast<float>(unit_of(scale))) << b;
  }
}

}  // namespace
}  // namespace gemmtune::cpu_tile
