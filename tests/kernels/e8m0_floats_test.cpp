// Scales in E8M0 become the same floats on a GPU as on the host. That test needs a GPU. The other does not.
#include "gemmtune/kernels/e8m0_floats.h"

#include <cmath>

#include "gemmtune/gemm/numeric.h"
#include "tests/kernels/on_gpu.h"
#include "tests/support/expect_compiles.h"

namespace gemmtune {
namespace {

TEST(E8m0Floats, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_e8m0"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  expect_compiles(*compiler, e8m0_floats_source());
}

class E8m0FloatsTest : public KernelsOnGpu {
 protected:
  void SetUp() override {
    KernelsOnGpu::SetUp();
    if (!IsSkipped() && !arch().starts_with("sm90")) GTEST_SKIP() << arch() << " is not Hopper";
  }

  static void expect_floats(const std::vector<float>& found, const std::vector<std::uint8_t>& bytes) {
    ASSERT_EQ(found.size(), bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const float expected = e8m0_to_float(bytes[i]);
      ASSERT_TRUE(found[i] == expected || (std::isnan(found[i]) && std::isnan(expected))) << i;
    }
  }
};

std::vector<std::uint8_t> every_byte(std::int64_t count) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  return bytes;
}

/// 300 scales of A and 18 of the weights, or those of one side only.
TEST_F(E8m0FloatsTest, AreThoseOfTheHost) {
  for (const char* text :
       {"50x300x384:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16:batch=2",
        "50x300x384:e4m3/1x128:e4m3/128x128e8m0:bf16:batch=2", "50x300x384:e4m3/1x128e8m0:e4m3/128x128:bf16:batch=2"}) {
    SCOPED_TRACE(text);
    const auto problem = parse_problem(text);
    const auto a = every_byte(problem.a.scaling == Scaling::e8m0_1x128 ? 300 : 0);
    const auto w = every_byte(problem.w.scaling == Scaling::e8m0_128x128 ? 18 : 0);
    const E8m0Floats converter(problem);
    const auto at = converter.layout();
    EXPECT_EQ(at.bytes, (a.size() * 4 + 255) / 256 * 256 + (w.size() * 4 + 255) / 256 * 256);
    const auto from_a = uploaded(a);
    const auto from_w = uploaded(w);
    const auto floats = poisoned(at.bytes);
    converter.launch(from_a.data(), from_w.data(), floats.data(), stream());
    stream().synchronize();
    expect_floats(downloaded<float>(floats, at.a, std::ssize(a)), a);
    expect_floats(downloaded<float>(floats, at.w, std::ssize(w)), w);
  }
}

}  // namespace
}  // namespace gemmtune
