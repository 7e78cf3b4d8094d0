#include "gemmtune/verify/reference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "gemmtune/gemm/numeric.h"
#include "naive.h"

namespace gemmtune {
namespace {

constexpr VerifyPolicy sampling{.full_reference_flops = 1};

void expect_same(double found, double expected, double scale) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else if (std::isinf(expected)) {
    EXPECT_EQ(found, expected);
  } else {
    EXPECT_NEAR(found, expected, 1e-12 * scale);
  }
}

/// Every value and norm against the three plain loops in double.
void expect_naive(const Problem& p, const HostOperands& operands, const VerifyPolicy& policy) {
  const auto reference = compute_reference(p, operands, policy, 3);
  const auto real = naive::real_operands(p, operands);
  const auto expected = naive::multiply<double>(p, real, p.k);
  const auto rows = static_cast<std::int64_t>(reference.rows.size());
  ASSERT_EQ(reference.values.size(), p.batch * rows * p.n);
  for (std::int64_t i = 0; i < p.batch * rows * p.n; ++i) {
    const std::int64_t row = i / p.n / rows * p.m + reference.rows[i / p.n % rows];
    const double scale = reference.row_norms[i / p.n] * reference.column_norms[i / p.n / rows * p.n + i % p.n];
    expect_same(reference.values[i], expected[row * p.n + i % p.n], std::max(scale, 1.0));
  }
}

TEST(Reference, EqualsThreePlainLoops) {
  for (const auto* text :
       {"5x7x33:bf16:bf16:bf16", "1x9x2500:f32:f32:f32:bias", "3x9x250:tf32:tf32:f32", "37x40x4100:f16:f16:f16",
        "6x5x67:int8/row:int8/row:bf16:bias:batch=3", "9x4x40:e4m3/tensor:e4m3/row:bf16:batch=2",
        "10x131x260:a8w8_blockscale", "7x33x98:a4w4", "3x2x1:bf16:bf16:f32", "5x7x98:a16w4", "7x70x99:mxfp8",
        "7x70x99:e4m3/1x32:e4m3/32x32:f32:batch=2", "10x131x260:a16w8_blockscale",
        "10x131x260:e4m3/1x128e8m0:e4m3/128x128e8m0:f32:batch=2", "5x7x98:f16/fp8_row:e4m3/row:f32:batch=2",
        "5x7x98:a8w4_nvfp4:batch=2", "5x7x98:a16w4_fp8:batch=2"}) {
    SCOPED_TRACE(text);
    const auto p = parse_problem(text);
    for (const Recipe recipe :
         {Recipe::gaussian, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::nan_scales, Recipe::nan_inf})
      expect_naive(p, draw_operands(p, recipe, 8), VerifyPolicy{});
  }
}

TEST(Reference, SampledRowsEqualThreePlainLoops) {
  for (const auto* text : {"100x7x40:bf16:bf16:bf16:batch=2", "65x9x64:a4w4"}) {
    SCOPED_TRACE(text);
    const auto p = parse_problem(text);
    expect_naive(p, draw_operands(p, Recipe::gaussian, 8), sampling);
  }
}

TEST(Reference, NormsAreThoseOfTheRealRows) {
  const auto p = parse_problem("6x5x67:int8/row:int8/row:bf16:batch=2");
  const auto operands = draw_operands(p, Recipe::gaussian, 2);
  const auto reference = compute_reference(p, operands, VerifyPolicy{}, 0);
  const auto real = naive::real_operands(p, operands);
  const auto norm = [&](const std::vector<float>& rows, std::int64_t row) {
    double squares = 0;
    for (std::int64_t k = 0; k < p.k; ++k) squares += std::pow(static_cast<double>(rows[row * p.k + k]), 2);
    return std::sqrt(squares);
  };
  for (std::int64_t row = 0; row < 12; ++row) EXPECT_NEAR(reference.row_norms[row], norm(real.a, row), 1e-10);
  for (std::int64_t row = 0; row < 10; ++row) EXPECT_NEAR(reference.column_norms[row], norm(real.w, row), 1e-10);
}

TEST(RowsToCheck, AreAllWhereTheBudgetAllows) {
  const auto p = parse_problem("100x64x64:bf16:bf16:bf16");
  const auto rows = rows_to_check(p, VerifyPolicy{}, 1);
  ASSERT_EQ(rows.size(), 100);
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(rows[i], i);
}

TEST(RowsToCheck, AreAtLeastTwoOfEachStripeWithItsLast) {
  for (const std::int64_t m : {1, 2, 31, 32, 33, 64, 1000}) {
    const Problem p{.m = m, .n = 64, .k = 64};
    const auto rows = rows_to_check(p, sampling, 1);
    const std::set<std::int64_t> chosen(rows.begin(), rows.end());
    EXPECT_EQ(chosen.size(), rows.size()) << m;
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end())) << m;
    EXPECT_EQ(rows.back(), m - 1);
    for (std::int64_t first = 0; first < m; first += 32) {
      const std::int64_t last = std::min(first + 31, m - 1);
      EXPECT_TRUE(chosen.contains(last)) << m;
      const auto in_stripe = std::distance(chosen.lower_bound(first), chosen.upper_bound(last));
      EXPECT_EQ(in_stripe, std::min<std::int64_t>(2, last - first + 1)) << m;
    }
  }
}

TEST(RowsToCheck, AreAsManyAsTheBudgetAffords) {
  const Problem p{.m = 1024, .n = 100, .k = 100};
  for (const std::int64_t in_each : {2, 5, 31}) {
    const VerifyPolicy policy{.full_reference_flops = 2 * 100 * 100 * 32 * in_each};
    EXPECT_EQ(rows_to_check(p, policy, 1).size(), 32 * in_each);
  }
}

TEST(RowsToCheck, DependOnTheSeed) {
  const Problem p{.m = 1024, .n = 64, .k = 64};
  EXPECT_EQ(rows_to_check(p, sampling, 1), rows_to_check(p, sampling, 1));
  EXPECT_NE(rows_to_check(p, sampling, 1), rows_to_check(p, sampling, 2));
}

/// From the stored bytes on, with nothing but the meaning of single elements.
class PlainLoops {
 public:
  PlainLoops(const Problem& p, const HostOperands& operands) : p_(p), operands_(operands) {}

  double element(std::int64_t m, std::int64_t n) const {
    double sum = 0;
    for (std::int64_t k = 0; k < p_.k; ++k) sum += static_cast<double>(a(m, k)) * static_cast<double>(w(n, k));
    return sum;
  }

 private:
  template <typename T>
  static T at(const std::vector<std::byte>& from, std::int64_t offset) {
    T value{};
    std::memcpy(&value, from.data() + offset, sizeof value);
    return value;
  }

  float stored_a(std::int64_t m, std::int64_t k) const {
    if (p_.a.type == DType::f32) return at<float>(operands_.a, 4 * (m * p_.k + k));
    return bf16_to_float(at<std::uint16_t>(operands_.a, 2 * (m * p_.k + k)));
  }

  float a(std::int64_t m, std::int64_t k) const {
    if (is_fp8_in_call(p_.a)) return fp8_a(m, k);
    if (!is_q8_in_call(p_.a)) return stored_a(m, k);
    float amax = 0;
    const std::int64_t first = k / 32 * 32;
    for (std::int64_t i = first; i < std::min(first + 32, p_.k); ++i) amax = std::max(amax, std::fabs(stored_a(m, i)));
    const float scale = amax == 0 ? 1 : amax / 127;
    return std::nearbyint(stored_a(m, k) / scale) * scale;
  }

  float fp8_a(std::int64_t m, std::int64_t k) const {
    const std::int64_t length = p_.a.scaling == Scaling::fp8_row ? p_.k : 128;
    const std::int64_t first = k / length * length;
    float amax = 0;
    for (std::int64_t i = first; i < std::min(first + length, p_.k); ++i)
      amax = std::isnan(stored_a(m, i)) ? stored_a(m, i) : std::max(amax, std::fabs(stored_a(m, i)));
    const float scale = amax == 0 ? 1 : amax / 448;
    return e4m3_to_float(float_to_e4m3(stored_a(m, k) / scale)) * scale;
  }

  float w(std::int64_t n, std::int64_t k) const {
    const std::int64_t of_32 = n * ((p_.k + 31) / 32) + k / 32;
    const std::int64_t of_16 = n * ((p_.k + 15) / 16) + k / 16;
    if (p_.w.type == DType::i8)
      return at<std::int8_t>(operands_.w, n * p_.k + k) * f16_to_float(at<std::uint16_t>(operands_.w_scale, 2 * of_32));
    const auto byte = at<std::uint8_t>(operands_.w, (n * p_.k + k) / 2);
    const auto code = static_cast<std::uint8_t>(k % 2 == 0 ? byte & 15 : byte >> 4);
    if (p_.w.type == DType::i4)
      return static_cast<float>(code < 8 ? code : code - 16) *
             f16_to_float(at<std::uint16_t>(operands_.w_scale, 2 * of_32));
    if (is_mxfp4(p_.w)) return std::ldexp(e2m1_to_float(code), at<std::uint8_t>(operands_.w_scale, of_32) - 127);
    const auto tensor_scale = at<float>(operands_.w_scale, std::ssize(operands_.w_scale) - 4);
    return e2m1_to_float(code) * (e4m3_to_float(at<std::uint8_t>(operands_.w_scale, of_16)) * tensor_scale);
  }

  const Problem& p_;
  const HostOperands& operands_;
};

TEST(Reference, OfBlocksEqualsLoopsOverStoredBytes) {
  for (const auto* types :
       {"bf16:e2m1/1x32:bf16", "f32:e2m1/1x32:f32", "bf16/q8:e2m1/1x32:bf16", "f32/q8:e2m1/1x32:f32",
        "bf16:e2m1/1x16:bf16", "bf16/q8:e2m1/1x16:bf16", "bf16/q8:int4/1x32f16:bf16", "f32/q8:int8/1x32f16:bf16",
        "bf16/fp8_row:e2m1/1x32:bf16", "f32/fp8_1x128:e2m1/1x32:f32"})
    for (const std::int64_t k : {2, 32, 98, 256})
      for (const Recipe recipe : {Recipe::gaussian, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows}) {
        const auto p = parse_problem(fmt::format("3x9x{}:{}", k, types));
        const auto operands = draw_operands(p, recipe, 8);
        const auto reference = compute_reference(p, operands, VerifyPolicy{}, 3);
        const PlainLoops loops(p, operands);
        for (std::int64_t i = 0; i < p.m * p.n; ++i) {
          const double scale = reference.row_norms[i / p.n] * reference.column_norms[i % p.n];
          EXPECT_NEAR(reference.values[i], loops.element(i / p.n, i % p.n), 1e-12 * scale)
              << to_string(p) << ' ' << to_string(recipe);
        }
      }
}

}  // namespace
}  // namespace gemmtune
