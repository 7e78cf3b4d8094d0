// The reference that the device computes is the host's, but for the last bits of sums in double.
#include "gemmtune/verify/gpu/gpu_reference.h"

#include <cmath>
#include <limits>

#include "gemmtune/verify/reference.h"
#include "tests/verify/gpu/on_gpu.h"

namespace gemmtune {
namespace {

TEST(GpuPolicy, AffordsMoreThanAHostUntilTheValuesAreMany) {
  const auto deep = parse_problem("1024x1024x65536:bf16:bf16:bf16");
  EXPECT_EQ(gpu_policy({.full_reference_flops = 1000}, deep).full_reference_flops, 250'000);
  const auto curved = parse_problem("1024x1024x65536:bf16:bf16:bf16:silu");
  EXPECT_EQ(gpu_policy({.full_reference_flops = 1000}, curved).full_reference_flops, 1'000'000);
  const auto shallow = parse_problem("65536x65536x16:bf16:bf16:bf16");
  for (const auto flops : {std::int64_t{4'000'000'000}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(gpu_policy({.full_reference_flops = flops}, shallow).full_reference_flops, std::int64_t{32} << 27);
  EXPECT_LT(rows_to_check(shallow, gpu_policy({}, shallow), 0).size(), 65536U);
}

class GpuReferenceTest : public OnGpu {
 protected:
  void expect_same_as_host(const Problem& problem, Recipe recipe, const VerifyPolicy& policy) {
    SCOPED_TRACE(to_string(problem) + " " + std::string(to_string(recipe)));
    constexpr std::uint64_t seed = 5;
    const auto host = compute_reference(problem, draw_operands(problem, recipe, seed), policy, seed);
    const auto inputs = drawn(problem, recipe, seed);
    const auto device = GpuReferenceMaker(*device_, *kernels_).make(problem, inputs, host.rows);
    const auto values = download<double>(device.values);
    const auto row_norms = download<double>(device.row_norms);
    const auto column_norms = download<double>(device.column_norms);
    expect_near(row_norms, host.row_norms, [&](std::size_t i) { return host.row_norms[i]; });
    expect_near(column_norms, host.column_norms, [&](std::size_t i) { return host.column_norms[i]; });
    expect_near(values, host.values, [&](std::size_t i) {
      const auto row = i / static_cast<std::size_t>(problem.n);
      const auto batch = row / host.rows.size();
      return host.row_norms[row] * host.column_norms[batch * problem.n + i % problem.n] + std::fabs(host.values[i]);
    });
  }

  template <typename Size>
  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected, const Size& size) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::isnan(expected[i])) {
        ASSERT_TRUE(std::isnan(found[i])) << "element " << i;
      } else if (std::isinf(expected[i])) {
        ASSERT_EQ(found[i], expected[i]) << "element " << i;
      } else {
        ASSERT_LE(std::fabs(found[i] - expected[i]), 1e-12 * size(i)) << "element " << i;
      }
    }
  }
};

TEST_F(GpuReferenceTest, OfEveryFormat) {
  for (const char* text :
       {"1x1x1:f32:f32:f32", "33x47x130:f32:f32:f32:bias", "40x64x128:bf16:bf16:bf16:bias", "65x129x257:fp16:fp16:fp16",
        "32x48x192:int8/row:int8/row:bf16", "130x300x100:e4m3/tensor:e4m3/tensor:bf16:bias:batch=3",
        "32x64x256:e2m1/1x32:e2m1/1x32:bf16", "17x40x256:e4m3/1x128:e4m3/128x128:fp16:batch=2",
        "200x200x300:e4m3fnuz/row:e4m3fnuz/128x128:f32", "7x513x1000:e2m1/1x32:bf16:bf16",
        "17x200x300:e4m3/1x128e8m0:e4m3/128x128e8m0:f32:batch=2", "17x200x300:bf16/fp8_1x128:e4m3/128x128:bf16:batch=2",
        "9x40x128:f32/fp8_1x128:e4m3/128x128:f32", "70x33x1000:f16/fp8_row:e4m3/row:f32:bias",
        "70x33x1000:f32/fp8_row:e2m1/1x32:bf16:batch=2"})
    for (const auto recipe : {Recipe::gaussian, Recipe::wide_exponents, Recipe::nan_scales, Recipe::nan_inf})
      expect_same_as_host(parse_problem(text), recipe, {});
}

TEST_F(GpuReferenceTest, OfSampledRows) {
  expect_same_as_host(parse_problem("500x300x512:bf16:bf16:bf16:bias:batch=2"), Recipe::gaussian,
                      {.full_reference_flops = 1});
}

TEST_F(GpuReferenceTest, OfSeveralPanels) {
  expect_same_as_host(parse_problem("260x300x500000:e2m1/1x32:e2m1/1x32:bf16:bias"), Recipe::gaussian,
                      {.full_reference_flops = 1});
  expect_same_as_host(parse_problem("300x20x500000:bf16:int8/row:f32"), Recipe::gaussian,
                      {.full_reference_flops = std::numeric_limits<std::int64_t>::max()});
}

}  // namespace
}  // namespace gemmtune
