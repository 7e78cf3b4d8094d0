// What the tensor cores sum, bit for bit: int8 exactly, e4m3 as in the model of docs/mxfp4-on-hopper.md.
#include "gemmtune/kernels/wgmma_gemm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "gemmtune/gemm/element_codecs.h"
#include "tests/kernels/on_gpu.h"

namespace gemmtune {
namespace {

constexpr std::int64_t step = 32;  // of K in one instruction
constexpr int kept_bits = 13;      // below the largest term

struct Bytes {
  std::int64_t rows{};
  std::int64_t k{};
  std::vector<std::uint8_t> values{};

  std::uint8_t at(std::int64_t row, std::int64_t i) const { return values[static_cast<std::size_t>(row * k + i)]; }
};

/// All bit patterns with equal probability, except the two NaN of e4m3.
Bytes random_bytes(std::int64_t rows, std::int64_t k, bool e4m3, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes{rows, k, std::vector<std::uint8_t>(static_cast<std::size_t>(rows * k))};
  for (auto& value : bytes.values) do
      value = static_cast<std::uint8_t>(random());
    while (e4m3 && (value & 0x7fU) == 0x7fU);
  return bytes;
}

double truncated(double value, int exponent_of_unit) {
  return std::ldexp(std::trunc(std::ldexp(value, -exponent_of_unit)), exponent_of_unit);
}

/// The power of two of the exponent field. Subnormals have that of the smallest normal numbers.
int field_exponent(std::uint8_t bits) { return std::max<int>((bits >> 3) & 15, 1) - 7; }

/// What one instruction makes of an element: its terms and the sum so far are cut to 13 bits below the largest exponent
/// among them and added exactly. The new sum is cut to 13 bits below its own exponent.
double model_step(double sum, const std::uint8_t* a, const std::uint8_t* w) {
  int highest = sum == 0 ? -1000 : std::ilogb(sum);
  for (std::int64_t i = 0; i < step; ++i)
    if (E4M3Codec::decode(a[i]) != 0 && E4M3Codec::decode(w[i]) != 0)
      highest = std::max(highest, field_exponent(a[i]) + field_exponent(w[i]));
  double total = truncated(sum, highest - kept_bits);
  for (std::int64_t i = 0; i < step; ++i)
    total += truncated(double{E4M3Codec::decode(a[i])} * double{E4M3Codec::decode(w[i])}, highest - kept_bits);
  return total == 0 ? 0 : truncated(total, std::ilogb(total) - kept_bits);
}

float model(const Bytes& a, const Bytes& w, std::int64_t m, std::int64_t n, std::int64_t promote_k) {
  float total = 0;
  for (std::int64_t start = 0; start < a.k; start += promote_k) {
    double sum = 0;
    for (std::int64_t i = start; i < std::min(start + promote_k, a.k); i += step)
      sum = model_step(sum, &a.values[static_cast<std::size_t>(m * a.k + i)],
                       &w.values[static_cast<std::size_t>(n * w.k + i)]);
    total += static_cast<float>(sum);
  }
  return total;
}

class WgmmaGemmOnGpu : public KernelsOnGpu {
 protected:
  void SetUp() override {
    KernelsOnGpu::SetUp();
    if (device_ && !device_->info().arch.starts_with("sm90")) GTEST_SKIP() << "this GPU is no Hopper";
  }

  /// C in f32, all scales 1.
  std::vector<float> product(const Bytes& a, const Bytes& w, FoldType type, const WgmmaTile& tile) {
    Problem problem{.m = a.rows, .n = w.rows, .k = a.k, .out = DType::f32};
    const auto gemm = make_wgmma_gemm({problem, type}, tile, device_->info().cu_num);
    const auto a_at = uploaded(a.values);
    const auto w_at = uploaded(w.values);
    const auto ones = uploaded(std::vector<float>(static_cast<std::size_t>(std::max(a.rows, w.rows)), 1.0F));
    const auto c = poisoned(static_cast<std::size_t>(a.rows * w.rows) * sizeof(float));
    const auto partial_sums = poisoned(std::max<std::size_t>(gemm.partial_bytes(), 16));
    const auto* scales = reinterpret_cast<const float*>(ones.data());
    gemm.launch({.a = a_at.data(),
                 .a_scales = scales,
                 .w = w_at.data(),
                 .w_scales = scales,
                 .c = c.data(),
                 .partial_sums = partial_sums.data()},
                stream());
    stream().synchronize();
    return downloaded<float>(c, 0, a.rows * w.rows);
  }
};

TEST_F(WgmmaGemmOnGpu, SumsOfInt8AreExact) {
  const auto a = random_bytes(150, 992, false, 1);
  const auto w = random_bytes(201, 992, false, 2);
  for (const std::int64_t split_k : {1, 3}) {
    const auto c = product(a, w, FoldType::int8, {.block_n = 64, .stages = 6, .split_k = split_k});
    for (std::int64_t m = 0; m < a.rows; ++m)
      for (std::int64_t n = 0; n < w.rows; ++n) {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < a.k; ++i)
          sum += std::int64_t{static_cast<std::int8_t>(a.at(m, i))} * static_cast<std::int8_t>(w.at(n, i));
        ASSERT_EQ(c[static_cast<std::size_t>(m * w.rows + n)], static_cast<float>(sum)) << m << ' ' << n;
      }
  }
}

TEST_F(WgmmaGemmOnGpu, SumsOfE4m3KeepThirteenBits) {
  const auto a = random_bytes(70, 1024, true, 3);
  const auto w = random_bytes(72, 1024, true, 4);
  for (const std::int64_t promote_k : {128, 256, 512}) {
    const auto c = product(a, w, FoldType::e4m3, {.block_n = 64, .stages = 6, .promote_k = promote_k});
    std::int64_t different = 0;
    for (std::int64_t m = 0; m < a.rows; ++m)
      for (std::int64_t n = 0; n < w.rows; ++n)
        different += c[static_cast<std::size_t>(m * w.rows + n)] != model(a, w, m, n, promote_k);
    EXPECT_EQ(different, 0) << "of " << c.size() << ", promoted after " << promote_k;
  }
}

}  // namespace
}  // namespace gemmtune
