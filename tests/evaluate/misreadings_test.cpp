// Kernels that are right on gaussian operands, or on the rows that happen to be compared, are refused.
#include "tests/evaluate/misreadings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluate/fixture.h"

namespace gemmtune {
namespace {

Evaluation evaluate(const std::string& problem, const std::string& fault, EvaluationPolicy policy) {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(std::make_unique<misreadings::Family>());
  LocalEvaluator evaluator(small_cpu(), std::move(families));
  policy.measure = {.warmup = 0, .min_samples = 3, .max_samples = 3, .cold_cache = policy.measure.cold_cache};
  Remembered seen;
  const std::vector candidates{misreadings::candidate(fault)};
  evaluator.evaluate(parse_problem(problem), candidates, policy, seen);
  EXPECT_EQ(seen.evaluations.size(), 1U);
  return seen.evaluations.empty() ? Evaluation{} : seen.evaluations.front();
}

/// A fault that one recipe shows, and that what a candidate is screened with does not.
struct Misreading {
  std::string fault{};
  std::string problem{};
  std::string recipe{};
};

class Misread : public testing::TestWithParam<Misreading> {};

const std::vector<Misreading> all_misreadings{
    {"zeroes_small_rows", "9x17x256:f32:f32:f32", "wide_rows"},
    {"zeroes_small_rows", "9x17x256:bf16:bf16:bf16", "wide_rows"},
    {"zeroes_small_rows", "9x17x256:e4m3/row:e4m3/row:bf16", "wide_rows"},
    {"zeroes_small_rows", "9x17x256:int8/tensor:int8/tensor:bf16", "wide_rows"},
    {"zeroes_small_rows", "9x17x256:a8w8_blockscale", "wide_rows"},
    {"zeroes_small_rows", "9x17x256:a4w4", "wide_rows"},
    {"saturates_large", "9x17x256:f32:f32:f32", "wide_rows"},
    {"saturates_large", "9x17x256:bf16:bf16:bf16", "wide_rows"},
    {"saturates_large", "9x17x256:int8/row:int8/row:bf16", "wide_rows"},
    {"saturates_large", "9x17x256:a4w4", "wide_rows"},
    {"clamps_e8m0", "9x17x256:a4w4", "wide_rows"},
    {"clamps_e8m0", "9x17x256:mxfp8", "wide_exponents"},
    {"zeroes_small_rows", "9x17x256:mxfp8", "wide_rows"},
    {"clamps_e8m0", "9x17x256:bf16:e2m1/1x32:bf16", "wide_rows"},
    {"drops_small_scales", "9x17x4096:e4m3/row:e4m3/row:bf16", "wide_rows"},
    {"drops_small_scales", "9x17x4096:int8/tensor:int8/tensor:bf16", "wide_rows"},
    {"reads_nan_as_zero", "9x17x256:f32:f32:f32", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:f16:f16:f16", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:bf16:bf16:bf16:silu", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:bf16:bf16:bf16:relu", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:e4m3/row:e4m3/row:bf16", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:e4m3fnuz/row:e4m3fnuz/row:bf16", "nan_inf"},
    {"reads_nan_as_zero", "1x17x256:bf16:bf16:bf16", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:a4w4", "nan_scales"},
    {"reads_nan_as_zero", "9x17x256:mxfp8", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:a16w4", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:a8wq4", "nan_inf"},
    {"reads_nan_as_zero", "9x17x256:a16w8_blockscale", "nan_inf"},
    {"zeroes_small_rows", "9x17x256:a16w8", "wide_rows"},
    {"clamps_e8m0", "9x17x256:a16w4_fp8", "wide_rows"},
    {"reads_nan_as_zero", "9x17x256:a16w4_fp8", "nan_inf"},
    {"saturates_infinity", "40x17x256:f32:e2m1/1x16:f32", "nan_inf"},
    {"clamps_e8m0", "9x17x256:a8w4", "wide_rows"},
    {"saturates_large", "9x17x256:a8w4", "wide_rows"},
    {"zeroes_small_rows", "9x17x256:bf16:e2m1/1x16:bf16", "wide_rows"},
    {"flushes_f16_scales", "9x17x4096:a8wq4", "wide_rows"},
    {"saturates_infinity", "9x17x256:f32:f32:f32", "nan_inf"},
    {"saturates_infinity", "9x17x256:bf16:bf16:bf16", "nan_inf"}};

TEST_P(Misread, PassesTheScreening) {
  const auto seen = evaluate(GetParam().problem, GetParam().fault, screen_policy());
  EXPECT_EQ(seen.outcome, Outcome::ok) << seen.reason;
}

TEST_P(Misread, IsRefusedByTheProofWhichNamesTheRecipe) {
  const auto seen = evaluate(GetParam().problem, GetParam().fault, prove_policy());
  EXPECT_EQ(seen.outcome, Outcome::wrong_result);
  EXPECT_THAT(seen.reason, testing::StartsWith(GetParam().recipe + ": "));
}

INSTANTIATE_TEST_SUITE_P(All, Misread, testing::ValuesIn(all_misreadings), [](const auto& tested) {
  return problem_label(tested.param.fault + "_" + tested.param.problem);
});

/// Over a large K the largest magnitudes of rows are nearly alike, and so are their scales: but not under wide_rows.
TEST(NeighboursScale, IsFarOffUnderWideRows) {
  const auto device = open_device("cpu");
  const auto examiner = make_host_examiner(*device);
  for (const auto* types : {"e4m3/row:e4m3/row:bf16", "int8/row:int8/row:bf16", "a8w8_blockscale", "a4w4", "a8w4",
                            "a8wq4", "a8wq8", "mxfp8", "e4m3/1x32:e4m3/32x32:bf16"}) {
    const auto problem = parse_problem(fmt::format("4x8x32768:{}", types));
    const auto share = [&](Recipe recipe) {
      const auto inputs = allocate_inputs(*device, problem);
      examiner->draw(problem, recipe, 3, inputs);
      const auto c = device->allocate(static_cast<std::size_t>(operand_sizes(problem).c));
      misreadings::Gemm(problem, "takes_the_neighbours_scale")
          .launch({.a = inputs.a.data(),
                   .a_scale = inputs.a_scale.data(),
                   .w = inputs.w.data(),
                   .w_scale = inputs.w_scale.data(),
                   .c = c.data()},
                  device->stream());
      const auto verdict = examiner->expect(problem, inputs, {}, 3)->judge(c.data());
      return verdict.accuracy.worst_share_of_bound;
    };
    EXPECT_GT(share(Recipe::wide_rows), 10) << types;
  }
}

/// Of a product that is too large to be compared as a whole.
EvaluationPolicy sampling(EvaluationPolicy policy) {
  policy.verify.full_reference_flops = 1;
  return policy;
}

class LargeProduct : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<EvaluationPolicy> stages() {
    return {sampling(screen_policy()), sampling(confirm_policy()), sampling(prove_policy())};
  }
};

TEST_P(LargeProduct, ARightKernelIsRightInEveryStage) {
  for (const auto& policy : stages()) {
    const auto seen = evaluate("160x288x64:" + GetParam(), "right", policy);
    EXPECT_EQ(seen.outcome, Outcome::ok) << to_string(policy.stage) << ": " << seen.reason;
    EXPECT_LE(seen.accuracy.worst_share_of_bound, 1);
    EXPECT_LT(seen.accuracy.checked, 160 * 288);
  }
}

TEST_P(LargeProduct, AZeroRowOrHalfTileIsFoundInEveryStage) {
  for (const std::string fault : {"zero_row", "zero_half_tile"})
    for (auto policy : stages())
      for (policy.seed = 0; policy.seed < 3; ++policy.seed) {
        const auto seen = evaluate("160x288x64:" + GetParam(), fault, policy);
        EXPECT_EQ(seen.outcome, Outcome::wrong_result) << fault << ' ' << to_string(policy.stage) << ' ' << policy.seed;
      }
}

INSTANTIATE_TEST_SUITE_P(Types, LargeProduct,
                         testing::Values("f32:f32:f32", "bf16:bf16:bf16", "int8/row:int8/row:fp16",
                                         "e4m3/row:e4m3/row:bf16", "a4w4", "mxfp8", "bf16:bf16:bf16:gelu_tanh", "a8w4",
                                         "f32/fp8_1x128:e4m3/128x128:f32", "a16w4_nvfp4", "f32/q8:int4/1x32f16:f32"),
                         [](const auto& tested) { return problem_label(tested.param); });

}  // namespace
}  // namespace gemmtune
