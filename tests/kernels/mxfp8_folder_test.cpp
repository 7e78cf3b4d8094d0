// Folding of MXFP8 on a GPU gives the bits of the host's fold. That test needs a GPU. The others do not.
#include "gemmtune/kernels/mxfp8_folder.h"

#include <fmt/format.h>

#include <cmath>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/draw.h"
#include "tests/kernels/on_gpu.h"

namespace gemmtune {
namespace {

constexpr Recipe all_recipes[]{Recipe::gaussian,   Recipe::one_sign,  Recipe::wide_exponents, Recipe::zero_blocks,
                               Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf};
constexpr const char* problems[]{"1x1x128:mxfp8", "37x67x384:mxfp8:batch=2",
                                 "5x130x1152:e4m3/1x32:e4m3/32x32:bf16:batch=2", "130x64x8192:mxfp8"};

TEST(Mxfp8Folder, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_mxfp8_fold"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  EXPECT_FALSE(compiler->compile(mxfp8_fold_source()).empty());
}

class Mxfp8FolderTest : public KernelsOnGpu {
 protected:
  void SetUp() override {
    KernelsOnGpu::SetUp();
    if (!IsSkipped() && !arch().starts_with("sm90")) GTEST_SKIP() << arch() << " is not Hopper";
  }

  static void expect_scales(const std::vector<float>& found, const std::vector<float>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) << i;
  }
};

TEST_F(Mxfp8FolderTest, ActivationsAreThoseOfTheHost) {
  for (const char* text : problems)
    for (const auto recipe : all_recipes) {
      SCOPED_TRACE(fmt::format("{} {}", text, to_string(recipe)));
      const auto problem = parse_problem(text);
      const auto rows = problem.batch * problem.m;
      const auto drawn = draw_tensor(problem, Tensor::a, recipe, 7);
      const auto expected = fold_mxfp8(drawn, rows, problem.k, problem.a, Mxfp8Base::group);
      const Mxfp8ActivationFolder folder(rows, problem.k);
      const auto at = folder.layout();
      const auto values = uploaded(drawn.values);
      const auto scales = uploaded(drawn.scales);
      const auto folded = poisoned(at.bytes);
      folder.launch(values.data(), scales.data(), folded.data(), stream());
      stream().synchronize();
      EXPECT_EQ(downloaded<std::byte>(folded, at.values, rows * problem.k), expected.values);
      expect_scales(downloaded<float>(folded, at.scales, std::ssize(expected.scales)), expected.scales);
    }
}

/// The host's fold of each matrix of the batch.
FoldedMxfp8 folded_on_host(const Problem& problem, const Quantised& drawn) {
  const auto values = std::ssize(drawn.values) / problem.batch;
  const auto scales = std::ssize(drawn.scales) / problem.batch;
  FoldedMxfp8 all;
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    const Quantised one{{drawn.values.begin() + b * values, drawn.values.begin() + (b + 1) * values},
                        {drawn.scales.begin() + b * scales, drawn.scales.begin() + (b + 1) * scales}};
    const auto folded = fold_mxfp8(one, problem.n, problem.k, problem.w, Mxfp8Base::row);
    all.values.insert(all.values.end(), folded.values.begin(), folded.values.end());
    all.scales.insert(all.scales.end(), folded.scales.begin(), folded.scales.end());
    all.changes.insert(all.changes.end(), folded.changes.begin(), folded.changes.end());
  }
  return all;
}

/// Row-major values in bricks of 64 rows × 128 of K, element by element.
std::vector<std::byte> in_bricks(const Problem& problem, const std::vector<std::byte>& values) {
  const auto stored_rows = (problem.n + 63) / 64 * 64;
  std::vector<std::byte> bricks(static_cast<std::size_t>(problem.batch * stored_rows * problem.k));
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const auto b = i / (problem.n * problem.k);
    const auto row = i / problem.k % problem.n;
    const auto column = i % problem.k;
    const auto brick = (b * stored_rows / 64 + row / 64) * (problem.k / 128) + column / 128;
    const auto piece = (column % 128 / 16) ^ (row % 8);
    bricks[brick * 64 * 128 + row % 64 * 128 + piece * 16 + column % 16] = values[i];
  }
  return bricks;
}

TEST_F(Mxfp8FolderTest, WeightsAreThoseOfTheHost) {
  for (const char* text : problems)
    for (const auto recipe : all_recipes)
      for (const auto stored : {Mxfp8WeightLayout::rows, Mxfp8WeightLayout::bricks}) {
        SCOPED_TRACE(fmt::format("{} {}", text, to_string(recipe)));
        const auto problem = parse_problem(text);
        const auto drawn = draw_tensor(problem, Tensor::w, recipe, 7);
        const auto expected = folded_on_host(problem, drawn);
        const Mxfp8WeightFolder folder(problem, stored);
        const auto at = folder.layout();
        const auto values = uploaded(drawn.values);
        const auto scales = uploaded(drawn.scales);
        const auto folded = poisoned(at.bytes);
        const auto report = folder.fold(values.data(), scales.data(), folded.data(), stream());
        const auto wanted = mxfp8_fold_report(expected.changes);
        EXPECT_EQ(report.elements, wanted.elements);
        EXPECT_EQ(report.rows, wanted.rows);
        EXPECT_NEAR(report.worst_error, wanted.worst_error, 1e-6 * wanted.worst_error);
        const auto bytes = stored == Mxfp8WeightLayout::rows ? expected.values : in_bricks(problem, expected.values);
        EXPECT_EQ(downloaded<std::byte>(folded, at.values, std::ssize(bytes)), bytes);
        expect_scales(downloaded<float>(folded, at.scales, std::ssize(expected.scales)), expected.scales);
      }
}

TEST_F(Mxfp8FolderTest, WeightsThatLoseTooMuchAreRefused) {
  const auto problem = parse_problem("1x3x8192:mxfp8");
  std::vector<std::byte> values(3 * 8192, std::byte{0x38});
  std::vector<std::byte> scales(3 * 256, std::byte{127});
  values[8192] = std::byte{0x77};
  std::fill(scales.begin() + 256 + 1, scales.begin() + 512, std::byte{127 - 10});
  const Mxfp8WeightFolder folder(problem, Mxfp8WeightLayout::rows);
  const auto folded = poisoned(folder.layout().bytes);
  try {
    static_cast<void>(folder.fold(uploaded(values).data(), uploaded(scales).data(), folded.data(), stream()));
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_TRUE(std::string(error.what()).starts_with("1 of 3 rows of the weights do not fit")) << error.what();
  }
}

TEST(Mxfp8Folder, KMustBeWholeGroups) {
  EXPECT_THROW(Mxfp8ActivationFolder(4, 160), Error);
  EXPECT_THROW(Mxfp8WeightFolder(parse_problem("4x4x160:mxfp8"), Mxfp8WeightLayout::rows), Error);
}

}  // namespace
}  // namespace gemmtune
