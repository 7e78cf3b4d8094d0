#include "gemmtune/verify/error_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/q8.h"
#include "gemmtune/verify/verifier.h"
#include "hopper_tensor_core.h"
#include "naive.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 5;
constexpr VerifyPolicy policy{};
constexpr std::int64_t promotion = 128;  // products until a sum is moved to float, in kernels that do so

/// Takes a power of two out of each row, which leaves it as large as gaussian ones are.
void fold_rows(std::vector<float>& values, std::int64_t k) {
  for (auto row = values.begin(); row != values.end(); row += k) {
    const auto larger = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
    const float largest = std::fabs(*std::max_element(row, row + k, larger));
    if (largest == 0) continue;
    const int exponent = 1 - std::ilogb(largest);
    std::transform(row, row + k, row, [=](float value) { return std::ldexp(value, exponent); });
  }
}

/// Both sides in the tensor cores' eyes: stored values, with scales that are left to the end. E2M1 with E8M0 scales is
/// folded, which is exact; what is common to a row is left to the end.
naive::Real multiplied(const Problem& problem, const HostOperands& operands, Recipe recipe) {
  const bool folds_a = problem.a.type == DType::e2m1;
  const bool folds_w = problem.w.type == DType::e2m1;
  Problem stored = problem;
  HostOperands kept = operands;
  if (!folds_a) {
    stored.a.scaling = Scaling::none;
    kept.a_scale.clear();
  }
  if (!folds_w) {
    stored.w.scaling = Scaling::none;
    kept.w_scale.clear();
  }
  auto real = naive::real_operands(stored, kept);
  if (recipe == Recipe::wide_rows && folds_a) fold_rows(real.a, problem.k);
  if (recipe == Recipe::wide_rows && folds_w) fold_rows(real.w, problem.k);
  return real;
}

/// A problem and what Hopper makes of it.
class Trial {
 public:
  explicit Trial(const Problem& problem, Recipe recipe)
      : problem_(problem),
        operands_(draw_operands(problem, recipe, seed)),
        reference_(compute_reference(problem, operands_, policy, seed)),
        multiplied_(multiplied(problem, operands_, recipe)),
        real_(naive::real_operands(problem, operands_)) {}

  /// `run` products at a time in a tensor core, of `used` in all.
  Verdict judge(std::int64_t run, std::int64_t used) const {
    std::vector<float> c;
    for (std::int64_t i = 0; i < problem_.m * problem_.n; ++i)
      c.push_back(element(i / problem_.n * problem_.k, i % problem_.n * problem_.k, run, used));
    return compare(problem_, reference_, naive::rounded(problem_, c), policy);
  }
  Verdict judge(std::int64_t run) const { return judge(run, problem_.k); }

  const Problem& problem() const { return problem_; }

 private:
  float element(std::int64_t a, std::int64_t w, std::int64_t run, std::int64_t used) const {
    float sum = 0;
    for (std::int64_t k = 0; k < used; k += run) {
      const std::int64_t count = std::min(run, used - k);
      const std::span<const float> some_a(multiplied_.a.data() + a + k, static_cast<std::size_t>(count));
      const std::span<const float> some_w(multiplied_.w.data() + w + k, static_cast<std::size_t>(count));
      sum += static_cast<float>(hopper::accumulate(core_, some_a, some_w) * scale(a + k, w + k, count));
    }
    return sum;
  }

  /// Of these products, which share it.
  double scale(std::int64_t a, std::int64_t w, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i)
      if (const double product = static_cast<double>(multiplied_.a[a + i]) * multiplied_.w[w + i]; product != 0)
        return static_cast<double>(real_.a[a + i]) * real_.w[w + i] / product;
    return 0;
  }

  Problem problem_;
  HostOperands operands_;
  Reference reference_;
  naive::Real multiplied_;
  naive::Real real_;
  hopper::TensorCore core_{hopper::tensor_core_of(problem_.a.type)};
};

class Fp8BoundTest : public testing::TestWithParam<std::string> {
 protected:
  static Problem problem(std::int64_t k) { return parse_problem(fmt::format("4x24x{}:{}", k, GetParam())); }
};

// f32 outputs, whose own rounding hides nothing, and those that users have.
const std::vector<std::string> summed_to_the_end{"e4m3/tensor:e4m3/tensor:f32", "e4m3/row:e4m3/row:f32",
                                                 "e4m3/row:e4m3/row:bf16", "e2m1/1x32:e2m1/1x32:f32", "a4w4"};
INSTANTIATE_TEST_SUITE_P(Formats, Fp8BoundTest, testing::ValuesIn(summed_to_the_end));

class Fp8PromotedTest : public Fp8BoundTest {};
INSTANTIATE_TEST_SUITE_P(Formats, Fp8PromotedTest, testing::ValuesIn(summed_to_the_end));
INSTANTIATE_TEST_SUITE_P(BlockScales, Fp8PromotedTest,
                         testing::Values("e4m3/1x128:e4m3/128x128:f32", "e4m3/row:e2m1/1x32:f32"));

constexpr auto recipes = {Recipe::gaussian, Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks,
                          Recipe::wide_rows};
constexpr auto depths = {32, 96, 128, 416, 2048, 8192};

/// E4M3 holds E2M1 weights whose scales are near each other. Kernels for them refuse others, as these are.
bool is_refused(const Problem& problem, Recipe recipe) {
  return recipe == Recipe::wide_exponents && problem.a.type == DType::e4m3 && problem.w.type == DType::e2m1;
}

TEST_P(Fp8PromotedTest, AreRight) {
  for (const Recipe recipe : recipes) {
    if (is_refused(problem(promotion), recipe)) continue;
    for (const std::int64_t k : depths) {
      const Trial trial(problem(k), recipe);
      EXPECT_EQ(trial.judge(promotion).why_wrong, "") << to_string(recipe) << ' ' << to_string(trial.problem());
    }
  }
}

TEST_P(Fp8BoundTest, SumsKeptToTheEndAreWithinTheBoundWithRoomToSpare) {
  for (const Recipe recipe : recipes) {
    for (const std::int64_t k : depths) {
      const Trial trial(problem(k), recipe);
      EXPECT_LE(trial.judge(k).accuracy.worst_share_of_bound, 0.75)
          << to_string(recipe) << ' ' << to_string(trial.problem());
    }
  }
}

TEST_P(Fp8BoundTest, TheErrorRatioTurnsDownSumsOfOneSignKeptToTheEnd) {
  const Trial trial(problem(8192), Recipe::one_sign);
  const auto verdict = trial.judge(8192);
  EXPECT_GT(verdict.accuracy.err_ratio, 0.9);
  EXPECT_TRUE(verdict.why_wrong.starts_with("error ratio ")) << verdict.why_wrong;
}

TEST_P(Fp8PromotedTest, AMissingStepOfKIsStillFound) {
  for (const std::int64_t k : {416, 2048, 8192})
    EXPECT_NE(Trial(problem(k), Recipe::gaussian).judge(promotion, k - 32).why_wrong, "") << k;
}

class HalfBoundTest : public Fp8BoundTest {};
INSTANTIATE_TEST_SUITE_P(Formats, HalfBoundTest,
                         testing::Values("bf16:bf16:f32", "f16:f16:f32", "tf32:tf32:f32", "bf16:bf16:bf16"));

TEST_P(HalfBoundTest, SumsInTensorCoresAreWithinTheBoundWithRoomToSpare) {
  for (const Recipe recipe : recipes) {
    for (const std::int64_t k : {16, 96, 1024, 8192, 32768}) {
      const Trial trial(problem(k), recipe);
      EXPECT_LE(trial.judge(k).accuracy.worst_share_of_bound, 0.75)
          << to_string(recipe) << ' ' << to_string(trial.problem());
    }
  }
}

TEST_P(HalfBoundTest, AMissingStepOfKIsStillFound) {
  for (const auto recipe : {Recipe::gaussian, Recipe::one_sign})
    for (const std::int64_t k : {416, 2048, 8192}) {
      if (recipe == Recipe::one_sign && problem(k).out == DType::bf16) continue;  // less than bf16 resolves
      EXPECT_NE(Trial(problem(k), recipe).judge(k, k - 16).why_wrong, "") << to_string(recipe) << ' ' << k;
    }
}

/// An H100 made 5380.235 of 5380.566 by 83 of cuBLASLt's kernels alike.
TEST(HopperModel, LosesWhatAnH100LosesInTf32) {
  const auto problem = parse_problem("4x24x8192:tf32:tf32:f32");
  const auto operands = draw_operands(problem, Recipe::one_sign, seed);
  const auto real = naive::real_operands(problem, operands);
  const auto reference = compute_reference(problem, operands, policy, seed);
  const auto k = static_cast<std::size_t>(problem.k);
  const auto found =
      hopper::accumulate(hopper::tensor_core_of(DType::tf32), std::span(real.a).first(k), std::span(real.w).first(k));
  EXPECT_NEAR(1 - found / reference.values[0], 0.331 / 5380.566, 3e-6);
}

TEST(ErrorBound, AllowsForWhatTensorCoresCutOff) {
  for (const std::string type : {"bf16:bf16:f32", "f16:f16:f16", "tf32:tf32:f32", "bf16:e4m3/row:bf16"}) {
    const auto bound = error_bound_of(parse_problem("1x1x4096:" + type));
    EXPECT_DOUBLE_EQ(bound.per_norm, 4 * 0x1p-24 * 64) << type;
    EXPECT_DOUBLE_EQ(bound.per_square, 0x1p-26 * 4096) << type;
  }
}

TEST(ErrorBound, IsTighterWithoutTheTermsForTensorCores) {
  const auto wide = error_bound_of(parse_problem("1x1x4096:e4m3/row:e4m3/row:bf16"));
  EXPECT_DOUBLE_EQ(wide.per_norm, 4 * 0x1p-24 * 64 + 0x1p-12);
  EXPECT_DOUBLE_EQ(wide.per_square, 0x1p-14 * 4096);
  const auto narrow = error_bound_of(parse_problem("1x1x4096:int8/row:int8/row:bf16"));
  EXPECT_DOUBLE_EQ(narrow.per_norm, 4 * 0x1p-24 * 64);
  EXPECT_EQ(narrow.per_square, 0);
}

TEST(ErrorBound, OfFloatsGrowsWithTheSumAndNotWithTheNorms) {
  for (const std::string type : {"f32:f32:f32", "f32:bf16:f32", "bf16:f32:f32"}) {
    const auto bound = error_bound_of(parse_problem("1x1x4096:" + type));
    EXPECT_DOUBLE_EQ(bound.per_norm, 4 * 0x1p-24) << type;
    EXPECT_DOUBLE_EQ(bound.per_sum, 4 * 0x1p-24 * 64) << type;
    EXPECT_EQ(bound.per_square, 0) << type;
  }
  for (const std::string type : {"bf16:bf16:f32", "tf32:tf32:f32", "e4m3/row:e4m3/row:f32", "int8/row:int8/row:f32"})
    EXPECT_EQ(error_bound_of(parse_problem("1x1x4096:" + type)).per_sum, 0) << type;
  const ErrorBound bound{.per_norm = 0, .per_sum = 0x1p-2, .slope = 2};
  EXPECT_DOUBLE_EQ(bound.at(-4, 1), 2);
}

/// Ways to add up products in float that are all right.
struct Sums {
  std::string_view name{};
  float (*of)(std::span<const float> a, std::span<const float> w){};
};

float in_order(std::span<const float> a, std::span<const float> w) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const float product = a[k] * w[k];
    sum += product;
  }
  return sum;
}

float fused(std::span<const float> a, std::span<const float> w) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], w[k], sum);
  return sum;
}

float in_lanes(std::span<const float> a, std::span<const float> w) {
  float lanes[8]{};
  for (std::size_t k = 0; k < a.size(); ++k) lanes[k % 8] = std::fma(a[k], w[k], lanes[k % 8]);
  return std::accumulate(lanes, lanes + 8, 0.0F);
}

template <std::size_t length>
float in_blocks(std::span<const float> a, std::span<const float> w) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); k += length)
    sum += fused(a.subspan(k, std::min(length, a.size() - k)), w.subspan(k, std::min(length, a.size() - k)));
  return sum;
}

float split_in_four(std::span<const float> a, std::span<const float> w) {
  const auto part = (a.size() + 3) / 4;
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); k += part)
    sum += in_order(a.subspan(k, std::min(part, a.size() - k)), w.subspan(k, std::min(part, a.size() - k)));
  return sum;
}

float in_pairs(std::span<const float> a, std::span<const float> w) {
  if (a.size() == 1) return a[0] * w[0];
  const auto half = a.size() / 2;
  return in_pairs(a.first(half), w.first(half)) + in_pairs(a.subspan(half), w.subspan(half));
}

constexpr Sums right_sums[] = {{"in order", in_order},         {"fused", fused},         {"in lanes", in_lanes},
                               {"blocks", in_blocks<384>},     {"split", split_in_four}, {"pairs", in_pairs},
                               {"short blocks", in_blocks<16>}};

/// The real operands of a problem, as floats, and what a way to sum makes of them.
class FloatTrial {
 public:
  FloatTrial(std::int64_t k, Recipe recipe, const std::string& types = "f32:f32:f32")
      : problem_(parse_problem(fmt::format("6x40x{}:{}", k, types))),
        operands_(draw_operands(problem_, recipe, seed)),
        reference_(compute_reference(problem_, operands_, policy, seed)),
        real_(naive::real_operands(problem_, operands_)) {}

  Verdict judge(const Sums& sums) const { return judge(sums, real_); }

  /// With inputs that are rounded to TF32 first, as tensor cores take them.
  Verdict judge_with_tf32_inputs() const {
    auto rounded = real_;
    for (auto* values : {&rounded.a, &rounded.w})
      for (float& value : *values) value = float_to_tf32(value);
    return judge({"fused", fused}, rounded);
  }

 private:
  Verdict judge(const Sums& sums, const naive::Real& real) const {
    const auto k = static_cast<std::size_t>(problem_.k);
    std::vector<float> c;
    for (std::int64_t i = 0; i < problem_.m * problem_.n; ++i)
      c.push_back(
          sums.of(std::span(real.a).subspan(i / problem_.n * k, k), std::span(real.w).subspan(i % problem_.n * k, k)));
    return compare(problem_, reference_, naive::rounded(problem_, c), policy);
  }

  Problem problem_;
  HostOperands operands_;
  Reference reference_;
  naive::Real real_;
};

TEST(FloatBound, RightSumsTakeAThirdOfItAtMost) {
  for (const Recipe recipe : recipes)
    for (const std::int64_t k : {1, 2, 33, 256, 2048, 16384}) {
      const FloatTrial trial(k, recipe);
      for (const auto& sums : right_sums) {
        const auto verdict = trial.judge(sums);
        EXPECT_LE(verdict.accuracy.worst_share_of_bound, 0.34) << to_string(recipe) << ' ' << k << ' ' << sums.name;
        EXPECT_EQ(verdict.why_wrong, "");
      }
    }
}

TEST(FloatBound, RightSumsOfGaussianOperandsTakeAQuarter) {
  for (const std::int64_t k : {128, 1024, 16384})
    for (const auto& sums : right_sums)
      EXPECT_LE(FloatTrial(k, Recipe::gaussian).judge(sums).accuracy.worst_share_of_bound, 0.26)
          << k << ' ' << sums.name;
}

TEST(FloatBound, FloatsWithWeightsOf16BitsAreHeldToIt) {
  for (const std::string types : {"f32:bf16:f32", "bf16:f32:f32"})
    for (const std::int64_t k : {33, 2048}) {
      const FloatTrial trial(k, Recipe::gaussian, types);
      for (const auto& sums : right_sums) EXPECT_LE(trial.judge(sums).accuracy.worst_share_of_bound, 0.34) << types;
      EXPECT_GT(trial.judge_with_tf32_inputs().accuracy.worst_share_of_bound, 10) << types;
    }
}

/// Weights in blocks, with activations that are floats.
class BlockTrial {
 public:
  BlockTrial(std::int64_t k, Recipe recipe, const std::string& types)
      : problem_(parse_problem(fmt::format("6x40x{}:{}", k, types))),
        operands_(draw_operands(problem_, recipe, seed)),
        reference_(compute_reference(problem_, operands_, policy, seed)),
        real_(naive::real_operands(problem_, operands_)) {}

  Verdict judge(const Sums& sums) const { return judge(sums, real_.a); }

  /// With other activations than the problem's: what `make` makes of each block of 32 as it is stored.
  template <typename Make>
  Verdict judge_made(const Make& make) const {
    auto a = naive::real_side({problem_.a.type}, 1, problem_.m, problem_.k, {operands_.a, {}});
    for (std::int64_t row = 0; row < problem_.m; ++row)
      for (std::int64_t k = 0; k < problem_.k; k += q8_length)
        make(std::span(a).subspan(row * problem_.k + k, std::min(q8_length, problem_.k - k)));
    return judge({"fused", fused}, a);
  }

 private:
  Verdict judge(const Sums& sums, const std::vector<float>& a) const {
    const auto k = static_cast<std::size_t>(problem_.k);
    std::vector<float> c;
    for (std::int64_t i = 0; i < problem_.m * problem_.n; ++i)
      c.push_back(
          sums.of(std::span(a).subspan(i / problem_.n * k, k), std::span(real_.w).subspan(i % problem_.n * k, k)));
    return compare(problem_, reference_, naive::rounded(problem_, c), policy);
  }

  Problem problem_;
  HostOperands operands_;
  Reference reference_;
  naive::Real real_;
};

const std::vector<std::string> weights_in_blocks{"e2m1/1x32", "e2m1/1x16", "int4/1x32f16", "int8/1x32f16"};

void round_to_bf16(std::span<float> block) {
  for (float& value : block) value = bf16_to_float(float_to_bf16(value));
}

void quantise_to_q8(std::span<float> block) {
  const auto quantised = q8_block(block);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<float>(quantised.codes[i]) * quantised.scale;
}

void quantise_with_f16_scale(std::span<float> block) {
  const auto quantised = q8_block(block);
  const float scale = f16_to_float(float_to_f16(quantised.scale));
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<float>(quantised.codes[i]) * scale;
}

void quantise_with_one_wrong_code(std::span<float> block) {
  auto quantised = q8_block(block);
  quantised.codes[0] = static_cast<std::int8_t>(quantised.codes[0] + (quantised.codes[0] > 0 ? -1 : 1));
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<float>(quantised.codes[i]) * quantised.scale;
}

TEST(BlockBound, RightSumsAreWithinItWithRoomToSpare) {
  for (const auto& weights : weights_in_blocks)
    for (const std::string a : {"bf16", "f32", "bf16/q8", "f32/q8"})
      for (const Recipe recipe : recipes)
        for (const std::int64_t k : {2, 96, 2048, 8192}) {
          if (k == 8192 && (a == "f32" || a == "bf16/q8")) continue;  // long sums take most of the time
          const auto types = fmt::format("{}:{}:f32", a, weights);
          const BlockTrial trial(k, recipe, types);
          for (const auto& sums : right_sums) {
            const auto verdict = trial.judge(sums);
            EXPECT_LE(verdict.accuracy.worst_share_of_bound, 0.6) << types << ' ' << to_string(recipe) << ' ' << k;
            EXPECT_EQ(verdict.why_wrong, "");
          }
        }
}

TEST(BlockBound, WhatTheRuleMakesOfActivationsIsRight) {
  for (const auto& weights : weights_in_blocks)
    for (const std::string a : {"bf16/q8", "f16/q8", "f32/q8"})
      EXPECT_EQ(BlockTrial(1024, Recipe::gaussian, a + ":" + weights + ":f32").judge_made(quantise_to_q8).why_wrong,
                "");
}

TEST(BlockBound, ActivationsOfLowerPrecisionAreRefused) {
  for (const auto& weights : weights_in_blocks)
    for (const Recipe recipe : {Recipe::gaussian, Recipe::wide_exponents, Recipe::wide_rows})
      for (const std::int64_t k : {64, 1024, 8192}) {
        const auto note = fmt::format("{} {} {}", weights, to_string(recipe), k);
        EXPECT_NE(BlockTrial(k, recipe, "f32:" + weights + ":f32").judge_made(round_to_bf16).why_wrong, "") << note;
        EXPECT_NE(BlockTrial(k, recipe, "f32:" + weights + ":f32").judge_made(quantise_to_q8).why_wrong, "") << note;
        EXPECT_NE(BlockTrial(k, recipe, "bf16:" + weights + ":bf16").judge_made(quantise_to_q8).why_wrong, "") << note;
      }
}

TEST(BlockBound, ActivationsThatAreQuantisedByAnotherRuleAreRefused) {
  for (const auto& weights : weights_in_blocks)
    for (const std::int64_t k : {64, 256, 4096}) {
      const BlockTrial trial(k, Recipe::gaussian, "f32/q8:" + weights + ":f32");
      EXPECT_NE(trial.judge_made(quantise_with_f16_scale).why_wrong, "") << weights << ' ' << k;
      EXPECT_NE(trial.judge_made(quantise_with_one_wrong_code).why_wrong, "") << weights << ' ' << k;
      EXPECT_NE(trial.judge_made([](std::span<float>) {}).why_wrong, "") << weights << ' ' << k;
    }
}

TEST(FloatBound, InputsRoundedToTf32AreRefused) {
  for (const Recipe recipe : {Recipe::gaussian, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows})
    for (const std::int64_t k : {64, 1024, 16384}) {
      const auto verdict = FloatTrial(k, recipe).judge_with_tf32_inputs();
      EXPECT_NE(verdict.why_wrong, "") << to_string(recipe) << ' ' << k;
      EXPECT_GT(verdict.accuracy.worst_share_of_bound, 10) << to_string(recipe) << ' ' << k;
    }
}

TEST(ErrorBound, ScalesAlongKEndASum) {
  EXPECT_DOUBLE_EQ(error_bound_of(parse_problem("1x1x4096:a8w8_blockscale")).per_square, 0x1p-14 * 128);
  EXPECT_DOUBLE_EQ(error_bound_of(parse_problem("1x1x96:a8w8_blockscale")).per_square, 0x1p-14 * 96);
}

TEST(ErrorBound, OfACallThatQuantisesToFp8IsThatOfTheProduct) {
  for (const char* types : {"bf16/fp8_row:e2m1/1x32:bf16", "f32/fp8_row:e2m1/1x32:f32", "f16/fp8_row:e4m3/row:f16",
                            "f32/fp8_1x128:e4m3/128x128:f32"}) {
    const auto problem = parse_problem(fmt::format("1x1x4096:{}", types));
    const auto bound = error_bound_of(problem);
    const auto of_product = error_bound_of(product_in_call(problem));
    EXPECT_GT(bound.per_square, 0) << types;
    EXPECT_EQ(bound.at(3, 5), of_product.at(3, 5)) << types;
    EXPECT_EQ(bound.at(-0.1, 80), of_product.at(-0.1, 80)) << types;
  }
}

TEST(ErrorBound, WhatIsCutOffIsAtMostAllOfIt) {
  const ErrorBound bound{.eps = 0, .smallest_normal = 0, .per_norm = 0, .per_square = 0x1p-1};
  EXPECT_DOUBLE_EQ(bound.at(1, 1), 0.5);
  EXPECT_DOUBLE_EQ(bound.at(-4, 1), 4);
  EXPECT_EQ(bound.at(0, 0), 0);
}

TEST(ErrorBound, OutputsThatNoKernelWritesAreRefused) {
  auto problem = parse_problem("1x1x1:bf16:bf16:bf16");
  problem.out = DType::i8;
  EXPECT_THROW(error_bound_of(problem), Error);
}

}  // namespace
}  // namespace gemmtune
