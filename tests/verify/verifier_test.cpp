#include "gemmtune/verify/verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemmtune/core/error.h"
#include "naive.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 5;
constexpr VerifyPolicy policy{};

/// What each format multiplies, at M = 40, N = 48 and the K asked for.
const std::vector<std::string> formats{"bf16:bf16:bf16",
                                       "f32:f32:f32",
                                       "int8/row:int8/row:bf16:bias",
                                       "a8w8_blockscale",
                                       "a4w4",
                                       "mxfp8",
                                       "e4m3/1x128e8m0:e4m3/128x128e8m0:bf16",
                                       "a16w8_blockscale",
                                       "f32/fp8_row:e4m3/row:f32",
                                       "a16w4_fp8",
                                       "f32:f32:f32:bias:gelu_erf:residual",
                                       "bf16:bf16:bf16:gelu_tanh",
                                       "bf16:bf16:f32:silu:residual",
                                       "f16:f16:f16:bias:relu"};

Problem sized(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& format) {
  return parse_problem(fmt::format("{}x{}x{}:{}", m, n, k, format));
}

/// A problem, its reference, and what a kernel that sums in float would give.
struct Trial {
  Problem problem{};
  HostOperands operands{};
  Reference reference{};
  std::vector<float> c{};

  Trial(const Problem& p, Recipe recipe, const VerifyPolicy& verify = policy)
      : problem(p), operands(draw_operands(p, recipe, seed)), reference(compute_reference(p, operands, verify, seed)) {
    c = summed(p.k);
  }

  std::vector<float> summed(std::int64_t k_used) const {
    return naive::multiply<float>(problem, naive::real_operands(problem, operands), k_used);
  }

  Verdict judge(const std::vector<float>& output) const {
    return compare(problem, reference, naive::rounded(problem, output), policy);
  }
};

class VerifierTest : public testing::TestWithParam<std::string> {
 protected:
  Trial trial(std::int64_t k = 416) const { return Trial(sized(40, 48, k, GetParam()), Recipe::gaussian); }
};

INSTANTIATE_TEST_SUITE_P(Formats, VerifierTest, testing::ValuesIn(formats), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST_P(VerifierTest, APlainFloatLoopIsRightForEveryRecipeAndDepth) {
  for (const Recipe recipe : {Recipe::gaussian, Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks,
                              Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf}) {
    for (const std::int64_t k : {2, 30, 64, 416, 2050, 20000}) {
      const Trial right(sized(5, 17, k, GetParam()), recipe);
      const auto verdict = right.judge(right.c);
      EXPECT_EQ(verdict.why_wrong, "") << to_string(recipe) << ' ' << to_string(right.problem);
      EXPECT_EQ(verdict.accuracy.unwritten, 0);
      EXPECT_EQ(verdict.accuracy.checked, 5 * 17);
      EXPECT_LE(verdict.accuracy.worst_share_of_bound, 1);
    }
  }
}

TEST_P(VerifierTest, OneElementOffIsFound) {
  const auto right = trial();
  for (const std::int64_t place : {0, 47, 48 * 17 + 5, 40 * 48 - 1}) {
    auto c = right.c;
    const double bound = error_bound(right.problem, right.reference.values[place],
                                     right.reference.row_norms[place / 48], right.reference.column_norms[place % 48]);
    c[place] += static_cast<float>(3 * bound);
    const auto verdict = right.judge(c);
    EXPECT_NE(
        verdict.why_wrong.find(fmt::format("1 of 1920 checked elements are further off than rounding explains, the "
                                           "first is C[{}, {}] = ",
                                           place / 48, place % 48)),
        std::string::npos)
        << verdict.why_wrong;
    EXPECT_GT(verdict.accuracy.worst_share_of_bound, 1);
  }
}

TEST_P(VerifierTest, OneTileOffIsFoundWithItsRowsAndColumns) {
  const auto right = trial();
  auto c = right.c;
  for (std::int64_t row = 16; row < 32; ++row)
    for (std::int64_t column = 32; column < 48; ++column) c[row * 48 + column] = right.c[(row - 16) * 48 + column];
  const auto verdict = right.judge(c);
  EXPECT_NE(verdict.why_wrong.find("all lie in rows 16 to 31, columns 32 to 47"), std::string::npos)
      << verdict.why_wrong;
}

TEST_P(VerifierTest, AMissingTailOfKIsFound) {
  const auto right = trial();
  for (std::int64_t dropped = 1; dropped < 32; ++dropped)
    EXPECT_NE(right.judge(right.summed(416 - dropped)).why_wrong, "") << dropped;
}

TEST_P(VerifierTest, AStaleLastRowIsFound) {
  const auto right = trial();
  auto c = right.c;
  std::copy(c.end() - 96, c.end() - 48, c.end() - 48);
  const auto verdict = right.judge(c);
  EXPECT_NE(verdict.why_wrong.find("all lie in rows 39 to 39"), std::string::npos) << verdict.why_wrong;
}

TEST_P(VerifierTest, AnUnwrittenLastRowIsFound) {
  const auto right = trial();
  auto bytes = naive::rounded(right.problem, right.c);
  const auto row_bytes = bytes.size() / 40;
  poison(std::span(bytes).last(row_bytes));
  const auto verdict = compare(right.problem, right.reference, bytes, policy);
  EXPECT_EQ(verdict.accuracy.unwritten, 48);
  EXPECT_EQ(verdict.why_wrong,
            "48 of 1920 elements were never written, the first is C[39, 0]; all lie in rows 39 to 39, columns 0 to 47");
}

TEST_P(VerifierTest, OneUnwrittenElementIsFound) {
  const auto right = trial();
  auto bytes = naive::rounded(right.problem, right.c);
  const auto size = bytes.size() / 1920;
  poison(std::span(bytes).subspan(size * (48 * 7 + 9), size));
  const auto verdict = compare(right.problem, right.reference, bytes, policy);
  EXPECT_EQ(verdict.accuracy.unwritten, 1);
  EXPECT_NE(verdict.why_wrong.find("the first is C[7, 9]"), std::string::npos) << verdict.why_wrong;
}

TEST_P(VerifierTest, NothingWrittenAtAllIsFound) {
  const auto right = trial();
  std::vector<std::byte> bytes(operand_sizes(right.problem).c);
  poison(bytes);
  const auto verdict = compare(right.problem, right.reference, bytes, policy);
  EXPECT_EQ(verdict.accuracy.unwritten, 1920);
  EXPECT_EQ(verdict.accuracy.err_ratio, 1);
}

TEST_P(VerifierTest, ANanOrInfinityIsFound) {
  const auto right = trial();
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto c = right.c;
    c[100] = value;
    const auto verdict = right.judge(c);
    EXPECT_NE(verdict.why_wrong, "");
    EXPECT_EQ(verdict.accuracy.unwritten, 0);
    EXPECT_EQ(verdict.accuracy.err_ratio, 1.0 / 1920);
  }
}

TEST_P(VerifierTest, BadRowsBetweenTheSampledOnesAreFoundWhenUnwritten) {
  const Trial right(sized(100, 48, 64, GetParam()), Recipe::gaussian, VerifyPolicy{.full_reference_flops = 1});
  ASSERT_EQ(right.reference.rows.size(), 8);  // of 4 stripes
  std::int64_t unsampled = 0;
  while (std::count(right.reference.rows.begin(), right.reference.rows.end(), unsampled) > 0) ++unsampled;
  auto bytes = naive::rounded(right.problem, right.c);
  const auto row_bytes = bytes.size() / 100;
  EXPECT_EQ(compare(right.problem, right.reference, bytes, policy).why_wrong, "");
  poison(std::span(bytes).subspan(unsampled * row_bytes, row_bytes));
  EXPECT_EQ(compare(right.problem, right.reference, bytes, policy).accuracy.unwritten, 48);
}

TEST_P(VerifierTest, TheCheckedRowsAloneTellTheSame) {
  const VerifyPolicy sampling{.full_reference_flops = 0};
  auto problem = sized(300, 48, 128, GetParam());
  Trial tested(problem, Recipe::gaussian, sampling);
  ASSERT_LT(tested.reference.rows.size(), 300U);
  const auto row = tested.reference.rows[tested.reference.rows.size() / 2];
  tested.c[row * 48 + 7] += 1e6F;
  const auto all = naive::rounded(problem, tested.c);
  const std::size_t row_bytes = all.size() / 300;
  std::vector<std::byte> rows;
  for (const auto checked : tested.reference.rows)
    rows.insert(rows.end(), all.begin() + checked * row_bytes, all.begin() + (checked + 1) * row_bytes);
  const auto verdict = compare_checked_rows(problem, tested.reference, rows, sampling);
  EXPECT_EQ(verdict.why_wrong, compare(problem, tested.reference, all, sampling).why_wrong);
  EXPECT_NE(verdict.why_wrong.find(fmt::format("C[{}, 7]", row)), std::string::npos) << verdict.why_wrong;
  rows.pop_back();
  EXPECT_THROW(compare_checked_rows(problem, tested.reference, rows, sampling), Error);
}

TEST_P(VerifierTest, ABrokenLastRowIsFoundWhenRowsAreSampled) {
  const Trial right(sized(100, 48, 64, GetParam()), Recipe::gaussian, VerifyPolicy{.full_reference_flops = 1});
  auto c = right.c;
  for (auto place = c.end() - 48; place != c.end(); ++place) *place = -*place;
  EXPECT_NE(right.judge(c).why_wrong, "");
}

TEST(Verifier, AnIgnoredNanScaleIsFound) {
  const Trial right(sized(40, 48, 416, "a4w4"), Recipe::nan_scales);
  EXPECT_EQ(right.judge(right.c).why_wrong, "");
  EXPECT_GT(std::count_if(right.c.begin(), right.c.end(), [](float value) { return std::isnan(value); }), 40);
  auto blind = right.operands;
  for (auto* scales : {&blind.a_scale, &blind.w_scale})
    std::replace(scales->begin(), scales->end(), std::byte{255}, std::byte{127});
  const auto c = naive::multiply<float>(right.problem, naive::real_operands(right.problem, blind), 416);
  const auto verdict = right.judge(c);
  EXPECT_NE(verdict.why_wrong.find("where nan is right"), std::string::npos) << verdict.why_wrong;
  EXPECT_TRUE(std::isinf(verdict.accuracy.worst_share_of_bound));
}

TEST(Verifier, BatchesAreToldApart) {
  const Trial right(parse_problem("5x7x64:bf16:bf16:bf16:batch=3"), Recipe::gaussian);
  EXPECT_EQ(right.judge(right.c).why_wrong, "");
  auto c = right.c;
  c[(2 * 5 + 4) * 7 + 3] += 10;
  EXPECT_NE(right.judge(c).why_wrong.find("the first is C[2, 4, 3] ="), std::string::npos);
}

TEST(Verifier, TheErrorRatioIsScaledByTheOutput) {
  // K = 1 in f32, so that nothing but the tolerance is left: |ref - out| > 0.01 + 0.01 · |out|.
  const auto p = parse_problem("1x4x1:f32:f32:f32");
  const Reference reference{
      .rows = {0}, .values = {100, 100, 0, 0}, .row_norms = {1e6}, .column_norms = {1e6, 1e6, 1e6, 1e6}};
  const std::vector<float> c{101.02F, 98.99F, 0.0101F, 0.0102F};  // off by 1.02, 1.01, 0.0101, 0.0102
  const auto verdict = compare(p, reference, naive::rounded(p, c), policy);
  EXPECT_EQ(verdict.accuracy.err_ratio, 0.5);
  EXPECT_NEAR(verdict.accuracy.worst_error, 1.02, 1e-5);
  EXPECT_NE(verdict.why_wrong.find("error ratio 0.5 is above 0.05, the first element not close is C[0, 1]"),
            std::string::npos)
      << verdict.why_wrong;
}

TEST(Verifier, TheErrorRatioMayEqualItsLimit) {
  const auto p = parse_problem("1x20x1:f32:f32:f32");
  const Reference reference{.rows = {0},
                            .values = std::vector<double>(20, 1.0),
                            .row_norms = {1e6},
                            .column_norms = std::vector<double>(20, 1e6)};
  std::vector<float> c(20, 1.0F);
  c[3] = 1.1F;
  EXPECT_EQ(compare(p, reference, naive::rounded(p, c), policy).why_wrong, "");
  c[4] = 1.1F;
  EXPECT_NE(compare(p, reference, naive::rounded(p, c), policy).why_wrong, "");
}

TEST(Verifier, OverflowOfTheOutputTypeIsRightWhereTheReferenceOverflows) {
  const auto p = parse_problem("1x4x1:f32:f32:f16");
  const Reference reference{
      .rows = {0}, .values = {70000, -70000, 65000, 70000}, .row_norms = {1}, .column_norms = {1, 1, 1, 1}};
  const auto judge = [&](const std::vector<float>& c) { return compare(p, reference, naive::rounded(p, c), policy); };
  EXPECT_EQ(judge({70000, -70000, 65000, 80000}).why_wrong, "");
  EXPECT_NE(judge({70000, 70000, 65000, 80000}).why_wrong, "");
  EXPECT_NE(judge({70000, -70000, 70000, 80000}).why_wrong, "");
  EXPECT_NE(judge({70000, -70000, 65000, 60000}).why_wrong, "");
}

TEST(Verifier, SubnormalOutputsMayRoundToTheirGrid) {
  const auto p = parse_problem("1x1x1:f32:f32:f16");
  const Reference reference{.rows = {0}, .values = {0x1.8p-25}, .row_norms = {0x1p-13}, .column_norms = {0x1p-12}};
  EXPECT_EQ(compare(p, reference, naive::rounded(p, {0x1.8p-25F}), policy).why_wrong, "");
}

TEST(Verifier, TheBoundGrowsWithTheRootOfKAndTheFormat) {
  auto p = parse_problem("1x1x400:int8/row:int8/row:f32");
  EXPECT_DOUBLE_EQ(error_bound(p, 0, 2, 3), 0x1p-149 + 4 * 0x1p-24 * 20 * 6);
  EXPECT_DOUBLE_EQ(error_bound(p, -8, 0, 0), 0x1p-20);
  p.out = DType::bf16;
  EXPECT_DOUBLE_EQ(error_bound(p, 8, 0, 0), 0x1p-4);
  p.out = DType::f16;
  EXPECT_DOUBLE_EQ(error_bound(p, 8, 0, 0), 0x1p-7);
}

TEST(Verifier, WhereTheSumIsInfiniteOnlyThatIsRight) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto* text : {"1x1x1:f32:f32:f32", "1x1x1:bf16:bf16:bf16", "1x1x1:e4m3/row:e4m3/row:f16"}) {
    const auto rules = closeness_rules(parse_problem(text), policy);
    EXPECT_EQ(rules.distance(infinity, infinity, infinity).share_of_bound, 0) << text;
    for (const double wrong : {-infinity, 1e30, 0.0})
      EXPECT_EQ(rules.distance(infinity, wrong, infinity).share_of_bound, infinity);
  }
  const auto relu = closeness_rules(parse_problem("1x1x1:f32:f32:f32:relu"), policy);
  EXPECT_EQ(relu.distance(-infinity, 0, infinity).share_of_bound, 0);
  EXPECT_EQ(relu.distance(-infinity, 5, infinity).share_of_bound, infinity);
}

TEST(Verifier, ReluMayMakeZeroOfNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto share = [&](const char* text, double found) {
    return closeness_rules(parse_problem(text), policy).distance(nan, found, 1).share_of_bound;
  };
  EXPECT_EQ(share("1x1x1:f32:f32:f32:relu", nan), 0);
  EXPECT_EQ(share("1x1x1:f32:f32:f32:relu", 0), 0);
  EXPECT_EQ(share("1x1x1:f32:f32:f32:relu", 1e-30), std::numeric_limits<double>::infinity());
  for (const char* text : {"1x1x1:f32:f32:f32", "1x1x1:f32:f32:f32:silu"})
    EXPECT_EQ(share(text, 0), std::numeric_limits<double>::infinity()) << text;
}

TEST(Verifier, PoisonIsNanInEveryOutputType) {
  std::vector<std::byte> bytes(9);
  poison(bytes);
  EXPECT_TRUE(std::isnan(load<float>(bytes.data(), 0)));
  EXPECT_TRUE(std::isnan(load<float>(bytes.data(), 1)));
  EXPECT_TRUE(std::isnan(Bf16Codec::decode(load<std::uint16_t>(bytes.data(), 1))));
  EXPECT_TRUE(std::isnan(F16Codec::decode(load<std::uint16_t>(bytes.data(), 3))));
  EXPECT_EQ(bytes[8], bytes[0]);
}

TEST(Verifier, AnOutputOfTheWrongSizeIsRefused) {
  const auto p = parse_problem("2x2x2:bf16:bf16:bf16");
  const Trial right(p, Recipe::gaussian);
  EXPECT_THROW(compare(p, right.reference, std::vector<std::byte>(6), policy), Error);
}

/// What a kernel gives that does something else with the sum than was asked.
Verdict judged_as(const std::string& asked, const std::string& done, const std::string& sizes = "40x48x256:") {
  const Trial right(parse_problem(sizes + asked), Recipe::gaussian);
  const auto other = parse_problem(sizes + done);
  Trial wrong(other, Recipe::gaussian);
  return right.judge(wrong.c);
}

TEST(Epilogue, AnythingElseThanWasAskedIsFound) {
  EXPECT_EQ(judged_as("f32:f32:f32:gelu_erf", "f32:f32:f32:gelu_erf").why_wrong, "");
  for (const std::string other : {"", ":relu", ":silu", ":gelu_tanh"})
    EXPECT_NE(judged_as("f32:f32:f32:gelu_erf", "f32:f32:f32" + other, "40x48x4:").why_wrong, "") << other;
  for (const std::string other : {"", ":gelu_tanh", ":silu"})
    EXPECT_NE(judged_as("bf16:bf16:bf16:relu", "bf16:bf16:bf16" + other).why_wrong, "") << other;
  EXPECT_NE(judged_as("bf16:bf16:bf16:silu", "bf16:bf16:bf16:gelu_tanh").why_wrong, "");
  EXPECT_NE(judged_as("bf16:bf16:bf16:residual", "bf16:bf16:bf16").why_wrong, "");
  EXPECT_NE(judged_as("bf16:bf16:bf16:bias:relu:residual", "bf16:bf16:bf16:bias:relu").why_wrong, "");
}

TEST(Epilogue, ABiasBehindTheActivationIsFound) {
  const Trial right(parse_problem("40x48x256:bf16:bf16:bf16:bias:relu"), Recipe::gaussian);
  const Trial without(parse_problem("40x48x256:bf16:bf16:bf16:relu"), Recipe::gaussian);
  auto c = without.c;
  const auto bias = naive::real_operands(right.problem, right.operands).bias;
  for (std::size_t i = 0; i < c.size(); ++i) c[i] += bias[i % bias.size()];
  EXPECT_NE(right.judge(c).why_wrong, "");
}

/// Hardware's tangent is off by 2^-11: what uses it is right all the same.
TEST(Epilogue, AFastTangentIsRight) {
  const Trial right(parse_problem("40x48x64:f32:f32:f32:gelu_tanh"), Recipe::gaussian);
  const Trial sums(parse_problem("40x48x64:f32:f32:f32"), Recipe::gaussian);
  auto c = sums.c;
  for (float& x : c) x = 0.5F * x * (1 + std::tanh(0.7978846F * (x + 0.044715F * x * x * x)) * (1 + 0x1p-11F));
  EXPECT_EQ(right.judge(c).why_wrong, "");
  for (float& x : c) x *= 1.001F;
  EXPECT_NE(right.judge(c).why_wrong, "");
}

}  // namespace
}  // namespace gemmtune
