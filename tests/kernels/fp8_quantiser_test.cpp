// Activations that a call quantises on a GPU have the bits of the host's. That test needs a GPU. The others do not.
#include "gemmtune/kernels/fp8_quantiser.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/draw.h"
#include "tests/kernels/on_gpu.h"
#include "tests/support/expect_compiles.h"

namespace gemmtune {
namespace {

constexpr DType float_types[]{DType::bf16, DType::f16, DType::f32};

TEST(Fp8Quantiser, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler =
      KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_fp8_quantise"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  for (const auto type : float_types) expect_compiles(*compiler, fp8_quantise_source({type, Scaling::fp8_row}));
}

TEST(Fp8Quantiser, SaysWhatItDoesNotDo) {
  const auto why_no = [](const char* text) { return why_no_fp8_quantiser(parse_problem(text)); };
  EXPECT_EQ(why_no("4x4x256:a16w8_blockscale:batch=2:ldw=300"), "");
  EXPECT_EQ(why_no("4x4x24:a16w8"), "");
  EXPECT_EQ(why_no("4x4x192:a16w8_blockscale"), "K % 128 != 0");
  EXPECT_EQ(why_no("4x4x20:a16w8"), "K % 8 != 0");
  for (const char* text : {"4x4x128:a16w8:lda=136", "4x4x128:a16w8:tt", "4x4x128:a16w8:batch=2:stride_a=520"})
    EXPECT_EQ(why_no(text), "quantises A without gaps only");
  EXPECT_THROW(Fp8Quantiser(parse_problem("4x4x20:a16w8")), Error);
}

class Fp8QuantiserTest : public KernelsOnGpu {
 protected:
  void SetUp() override {
    KernelsOnGpu::SetUp();
    if (!IsSkipped() && !arch().starts_with("sm90")) GTEST_SKIP() << arch() << " is not Hopper";
  }

  /// Values that are NaN may have any sign there.
  static void expect_codes(const std::vector<std::uint8_t>& found, const std::vector<std::byte>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto code = std::to_integer<std::uint8_t>(expected[i]);
      ASSERT_TRUE(found[i] == code || ((found[i] & 0x7f) == 0x7f && (code & 0x7f) == 0x7f)) << i;
    }
  }

  static void expect_scales(const std::vector<float>& found, const std::vector<std::byte>& expected) {
    ASSERT_EQ(found.size() * sizeof(float), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto scale = load<float>(expected.data(), static_cast<std::int64_t>(i));
      ASSERT_TRUE(found[i] == scale || (std::isnan(found[i]) && std::isnan(scale))) << i;
    }
  }

  void expect_as_host(const Problem& problem, const std::vector<std::byte>& stored) {
    const auto [side, rows, k] = std::tuple(problem.a, problem.m, problem.k);
    const auto floats = dequantise({.values = stored}, rows, k, {side.type});
    const auto expected = quantise(floats, rows, k, side_in_call(side));
    const Fp8Quantiser quantiser(problem);
    const auto at = quantiser.layout();
    const auto from = uploaded(stored);
    const auto to = poisoned(at.bytes);
    quantiser.launch(from.data(), to.data(), stream());
    stream().synchronize();
    expect_codes(downloaded<std::uint8_t>(to, at.values, rows * k), expected.values);
    expect_scales(downloaded<float>(to, at.scales, std::ssize(expected.scales) / 4), expected.scales);
  }
};

/// With K = 20480, a row is longer than what the threads keep of it, whatever its type.
TEST_F(Fp8QuantiserTest, BitsAreThoseOfTheHost) {
  for (const auto type : float_types)
    for (const char* text : {"1x1x128:a16w8_blockscale", "37x1x384:a16w8_blockscale", "130x1x1152:a16w8_blockscale",
                             "1x1x8:a16w8", "37x1x136:a16w8", "5x1x20480:a16w8"})
      for (const auto recipe :
           {Recipe::gaussian, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf}) {
        auto problem = parse_problem(text);
        problem.a.type = type;
        SCOPED_TRACE(fmt::format("{} {}", to_string(problem), to_string(recipe)));
        expect_as_host(problem, draw_tensor(problem, Tensor::a, recipe, 7).values);
      }
}

/// Groups whose scales are next to the ends of their range: subnormal, too small, huge, infinite and NaN.
TEST_F(Fp8QuantiserTest, ScalesAtTheEndsOfTheirRange) {
  constexpr float largest[]{0.0F,
                            0x1p-149F,
                            0x1.4p-142F,
                            0x1.8p-130F,
                            0x1.3p-53F,
                            0x1.bp-52F,
                            0x1p-51F,
                            0x1p108F,
                            0x1.cp108F,
                            0x1.dp108F,
                            0x1p127F,
                            std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()};
  constexpr std::int64_t k = 128;
  const auto rows = std::ssize(largest);
  std::vector<std::byte> stored(static_cast<std::size_t>(rows * k) * sizeof(float));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < k; ++i) {
      const float share = std::isfinite(largest[row]) ? largest[row] : 1.0F;
      store(stored.data(), row * k + i, i == 77 ? largest[row] : std::cos(static_cast<float>(i)) * share);
    }
  for (const auto scaling : {Scaling::fp8_1x128, Scaling::fp8_row})
    expect_as_host({.m = rows, .n = 1, .k = k, .a = {DType::f32, scaling}}, stored);
}

}  // namespace
}  // namespace gemmtune
