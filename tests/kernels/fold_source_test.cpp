// Every variant of the kernels that fold compiles, GPU or not, and what cannot be folded is refused.
#include <gtest/gtest.h>

#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/kernels/fold.h"

namespace gemmtune {
namespace {

constexpr FoldType types[]{FoldType::e4m3, FoldType::int8, FoldType::bf16};
constexpr FoldBase bases[]{FoldBase::row, FoldBase::tensor, FoldBase::chunk, FoldBase::none};
constexpr InputLayout layouts[]{InputLayout::plain, InputLayout::shuffled};

TEST(FoldSource, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_fold"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  std::set<std::string> keys;
  for (const auto type : types)
    for (const auto base : bases)
      for (const auto layout : layouts) {
        if (base == FoldBase::none && type != FoldType::bf16) continue;
        const auto source =
            fold_source({.type = type, .base = base, .rows = 16, .k = 64, .values = layout, .e8m0 = layout}, "sm90a");
        EXPECT_FALSE(compiler->compile(source).empty()) << source.name;
        keys.insert(cache_key(source, compiler->version()));
      }
  EXPECT_EQ(keys.size(), 20U);
}

TEST(FoldSource, RefusesWhatCannotBeFolded) {
  const auto refused = [](const FoldSpec& spec) { EXPECT_THROW(static_cast<void>(fold_source(spec, "sm90a")), Error); };
  refused({.type = FoldType::e4m3, .base = FoldBase::row, .rows = 4, .k = 48});
  refused({.type = FoldType::e4m3, .base = FoldBase::none, .rows = 4, .k = 64});
  refused({.type = FoldType::int8, .base = FoldBase::row, .rows = 8, .k = 64, .values = InputLayout::shuffled});
  refused({.type = FoldType::int8, .base = FoldBase::row, .rows = 16, .k = 96, .values = InputLayout::shuffled});
}

TEST(FoldLayout, PartsDoNotOverlap) {
  const auto at = fold_layout({.type = FoldType::e4m3, .base = FoldBase::chunk, .rows = 5, .k = 160});
  EXPECT_EQ(at.values, 0U);
  EXPECT_EQ(at.scales, 1024U);           // 800 bytes of values
  EXPECT_EQ(at.wide, at.scales + 256U);  // 2 chunks of 5 rows
  EXPECT_EQ(at.ranges, at.wide + 256U);
  EXPECT_EQ(at.bytes, at.ranges + 256U);
  const auto bf16 = fold_layout({.type = FoldType::bf16, .base = FoldBase::none, .rows = 5, .k = 160});
  EXPECT_EQ(bf16.bytes, 1792U);  // 1600 bytes of values, and nothing else
}

TEST(FoldRules, WindowsHoldExactlyWhatTheTypesDo) {
  const auto binades = [](FoldType type) { return fold_window(type).highest - fold_window(type).lowest; };
  EXPECT_EQ(binades(FoldType::e4m3), 14);
  EXPECT_EQ(binades(FoldType::int8), 3);
  for (const auto type : types)
    for (int low = -127; low <= 127; ++low)
      for (const int spread : {0, 1, binades(type), binades(type) + 1}) {
        const int high = low + spread;
        const bool far = low < -most_fold_base || high > most_fold_base;  // only then may the range of scales matter
        for (const auto fill : {FoldFill::low, FoldFill::high}) {
          const int base = fold_base(type, fill, low, high);
          EXPECT_LE(std::abs(base), most_fold_base);
          const bool fits = fits_window(type, base, low, high);
          EXPECT_TRUE(spread <= binades(type) || !fits) << low << ' ' << spread;
          EXPECT_TRUE(spread > binades(type) || far || fits) << low << ' ' << spread;
        }
      }
}

}  // namespace
}  // namespace gemmtune
