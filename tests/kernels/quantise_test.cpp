// Compares quantising on the GPU with gemm/quantise.h, bit for bit.
#include "tests/support/quantise/quantise.h"

#include <algorithm>
#include <limits>
#include <random>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"
#include "tests/kernels/on_gpu.h"

namespace gemmtune {
namespace {

constexpr E8M0Mode modes[]{E8M0Mode::round_down, E8M0Mode::round_up, E8M0Mode::even, E8M0Mode::ceil};

TEST(QuantiseSource, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_quantise"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  for (const auto from : {DType::bf16, DType::f16})
    for (const auto mode : modes)
      EXPECT_FALSE(compiler->compile(quantise_source({from, mode, 1, 32}, "sm90a")).empty());
}

TEST(QuantiseSource, RefusesOtherTypesAndPartsOfBlocks) {
  EXPECT_THROW(static_cast<void>(quantise_source({DType::f32, E8M0Mode::even, 1, 32}, "sm90a")), Error);
  EXPECT_THROW(static_cast<void>(quantise_source({DType::f16, E8M0Mode::even, 1, 48}, "sm90a")), Error);
}

class QuantiseOnGpu : public KernelsOnGpu {
 protected:
  void expect_right(const std::vector<std::uint16_t>& bits, const QuantiseSpec& spec) {
    std::vector<float> real;
    for (const auto each : bits) real.push_back(spec.from == DType::bf16 ? bf16_to_float(each) : f16_to_float(each));
    const auto expected = quantise(real, spec.rows, spec.k, {DType::e2m1, Scaling::mx_1x32}, spec.mode);
    const auto from = uploaded(bits);
    const auto values = poisoned(expected.values.size());
    const auto scales = poisoned(expected.scales.size());
    Quantiser(spec, arch()).launch(from.data(), values.data(), scales.data(), stream());
    stream().synchronize();
    const auto got_scales = downloaded<std::byte>(scales, 0, static_cast<std::int64_t>(expected.scales.size()));
    const auto got_values = downloaded<std::byte>(values, 0, static_cast<std::int64_t>(expected.values.size()));
    for (std::size_t i = 0; i < got_scales.size(); ++i)
      ASSERT_EQ(got_scales[i], expected.scales[i]) << "block " << i << " mode " << static_cast<int>(spec.mode);
    for (std::size_t i = 0; i < got_values.size(); ++i)
      ASSERT_EQ(got_values[i], expected.values[i])
          << "elements " << 2 * i << ": " << real[2 * i] << ' ' << real[2 * i + 1] << " under scale "
          << static_cast<int>(expected.scales[i / 16]) << " mode " << static_cast<int>(spec.mode);
  }
};

/// Each of the 65536 bit patterns, in blocks with several largest magnitudes: every rounding occurs.
TEST_F(QuantiseOnGpu, IsRightForEveryPattern) {
  std::vector<std::uint16_t> bits;
  std::mt19937_64 random(3);
  for (std::uint32_t pattern = 0; pattern < 65536; pattern += 31) {
    for (std::uint32_t i = 0; i < 31; ++i) bits.push_back(static_cast<std::uint16_t>(pattern + i));
    bits.push_back(static_cast<std::uint16_t>((pattern + 40 + random() % 300) & 0x7fffU));
  }
  const auto rows = static_cast<std::int64_t>(bits.size()) / 32;
  for (const auto from : {DType::bf16, DType::f16})
    for (const auto mode : modes) expect_right(bits, {from, mode, rows, 32});
}

TEST_F(QuantiseOnGpu, IsRightOnRandomBlocksOfAllSizes) {
  std::mt19937_64 random(9);
  std::normal_distribution<float> normal;
  for (const auto from : {DType::bf16, DType::f16})
    for (const std::int64_t k : {32, 96, 7168}) {
      const std::int64_t rows = 37;
      std::vector<std::uint16_t> bits;
      for (std::int64_t i = 0; i < rows * k; ++i) {
        const float value =
            i / 32 % 7 == 0 ? 0.0F : normal(random) * std::ldexp(1.0F, static_cast<int>(i / 32 % 23) - 11);
        bits.push_back(from == DType::bf16 ? float_to_bf16(value) : float_to_f16(value));
      }
      bits[5] = 0x7fff;                                  // NaN
      bits[40] = from == DType::bf16 ? 0x7f80 : 0x7c00;  // infinity
      for (const auto mode : modes) expect_right(bits, {from, mode, rows, k});
    }
}

}  // namespace
}  // namespace gemmtune
