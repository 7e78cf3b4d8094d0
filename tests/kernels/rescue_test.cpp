// Wide rows against a product in double.
#include "gemmtune/kernels/rescue.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gemmtune/kernels/fold_words.h"
#include "tests/kernels/mxfp4_rows.h"
#include "tests/kernels/on_gpu.h"

namespace gemmtune {
namespace {

struct Case {
  const char* problem{};
  FoldType type{FoldType::e4m3};
  FoldBase a_base{FoldBase::row};
  FoldBase w_base{FoldBase::row};
  std::vector<RowKind> activations{};
  std::vector<RowKind> weights{{.low = -4, .spread = 3}};
};

float out_value(DType type, const std::vector<std::uint8_t>& bytes, std::int64_t i) {
  if (type == DType::f32) {
    float value{};
    std::memcpy(&value, bytes.data() + i * 4, 4);
    return value;
  }
  const auto bits = static_cast<std::uint16_t>(bytes[i * 2] | bytes[i * 2 + 1] << 8);
  return type == DType::f16 ? f16_to_float(bits) : bf16_to_float(bits);
}

double eps_of(DType type) { return type == DType::f32 ? 0x1p-23 : type == DType::f16 ? 0x1p-10 : 0x1p-7; }

class Rescue : public KernelsOnGpu {
 protected:
  void expect_right(const Case& one) {
    SCOPED_TRACE(
        fmt::format("{} {} {} x {}", one.problem, fold_word(one.type), fold_word(one.a_base), fold_word(one.w_base)));
    const auto problem = parse_problem(one.problem);
    const auto a = make_rows(problem.batch * problem.m, problem.k, one.activations, 21);
    const auto w = make_rows(problem.batch * problem.n, problem.k, one.weights, 22);
    const FoldSpec a_spec{.type = one.type, .base = one.a_base, .rows = a.rows, .k = a.k};
    const FoldSpec w_spec{.type = one.type, .base = one.w_base, .rows = w.rows, .k = w.k};
    const Folder fold_a(a_spec, arch());
    const Folder fold_w(w_spec, arch());
    const auto a_values = uploaded(a.values);
    const auto a_scales = uploaded(a.e8m0);
    const auto folded_a = poisoned(fold_a.layout().bytes);
    const auto folded_w = poisoned(fold_w.layout().bytes);
    fold_a.launch(a_values.data(), a_scales.data(), folded_a.data(), stream());
    fold_w.fold_weights(uploaded(w.values).data(), uploaded(w.e8m0).data(), folded_w.data(), stream());

    std::vector<float> bias;
    std::vector<std::uint16_t> bias_bits;
    for (std::int64_t i = 0; i < problem.n; ++i) bias.push_back(static_cast<float>(i % 5) * 0.5F);
    for (const float value : bias)
      bias_bits.push_back(problem.out == DType::f16 ? float_to_f16(value) : float_to_bf16(value));
    const auto bias_buffer = problem.out == DType::f32 ? uploaded(bias) : uploaded(bias_bits);
    const auto c = poisoned(static_cast<std::size_t>(operand_sizes(problem).c));
    const Operands operands{
        .a = a_values.data(), .a_scale = a_scales.data(), .bias = bias_buffer.data(), .c = c.data()};
    Rescuer(problem, a_spec, w_spec, arch()).launch(operands, folded_a.data(), folded_w.data(), stream());
    stream().synchronize();

    const auto flags = downloaded<std::uint8_t>(folded_a, fold_a.layout().wide, a.rows);
    const auto bytes = downloaded<std::uint8_t>(c, 0, operand_sizes(problem).c);
    const auto element_bytes = problem.out == DType::f32 ? 4 : 2;
    const auto a_real = a.real();
    const auto w_real = w.real();
    std::int64_t wide = 0;
    for (std::int64_t row = 0; row < a.rows; ++row) {
      const bool is_wide = flags[row] == wide_row;
      wide += is_wide ? 1 : 0;
      for (std::int64_t n = 0; n < problem.n; ++n) {
        const auto place = row * problem.n + n;
        if (!is_wide) {
          for (int byte = 0; byte < element_bytes; ++byte)
            ASSERT_EQ(bytes[place * element_bytes + byte], 0xff) << "row " << row << " is not wide and was written";
          continue;
        }
        double sum = problem.bias ? bias[n] : 0;
        double size = std::fabs(sum);
        for (std::int64_t k = 0; k < a.k; ++k) {
          const double product = a_real[row * a.k + k] * w_real[(row / problem.m * problem.n + n) * a.k + k];
          sum += product;
          size += std::fabs(product);
        }
        const double got = out_value(problem.out, bytes, place);
        if (std::isnan(sum)) {
          ASSERT_TRUE(std::isnan(got)) << "row " << row << " column " << n;
          continue;
        }
        if (problem.out == DType::f16 && std::fabs(sum) > 65520) {
          ASSERT_EQ(got, std::copysign(std::numeric_limits<double>::infinity(), sum))
              << "row " << row << " column " << n;
          continue;
        }
        const double bound = eps_of(problem.out) * std::fabs(sum) + 0x1p-20 * size + 0x1p-149;
        ASSERT_LE(std::fabs(got - sum), bound)
            << "row " << row << " column " << n << ": " << got << ", expected " << sum;
      }
    }
    EXPECT_GT(wide, 0) << "the case has no wide row";
  }
};

const std::vector<RowKind> some_wide{
    {.low = -3, .spread = 2}, {.low = -9, .spread = 18}, {.low = -3, .spread = 24, .zero_blocks = true}};
const std::vector<RowKind> narrow{{.low = -3, .spread = 2}};

TEST_F(Rescue, IsRightForEachKindOfWeights) {
  for (const auto type : {FoldType::e4m3, FoldType::int8})
    for (const auto base : {FoldBase::row, FoldBase::tensor, FoldBase::chunk})
      for (const char* problem :
           {"37x70x160:e2m1/1x32:e2m1/1x32:bf16:packed", "130x133x1184:e2m1/1x32:e2m1/1x32:f32:packed"})
        expect_right({.problem = problem, .type = type, .a_base = base, .w_base = base, .activations = some_wide});
}

TEST_F(Rescue, IsRightWithBiasesBatchesAndEachOutput) {
  for (const char* problem :
       {"37x70x160:e2m1/1x32:e2m1/1x32:fp16:bias:packed", "37x70x160:e2m1/1x32:e2m1/1x32:f32:bias:packed",
        "21x70x96:e2m1/1x32:e2m1/1x32:bf16:batch=3:bias:packed"})
    expect_right({.problem = problem, .activations = some_wide});
}

TEST_F(Rescue, TakesAnyNumberOfRows) {
  expect_right({.problem = "1x40x64:e2m1/1x32:e2m1/1x32:bf16:packed", .activations = {{.spread = 20}}});
  expect_right({.problem = "2500x40x64:e2m1/1x32:e2m1/1x32:bf16:packed", .activations = {{.low = -3, .spread = 20}}});
  std::vector<RowKind> one_of_many(1700, narrow[0]);
  one_of_many[1699] = {.spread = 17};
  expect_right({.problem = "1700x40x64:e2m1/1x32:e2m1/1x32:bf16:packed", .activations = one_of_many});
}

TEST_F(Rescue, TakesExponentsOfAllSizes) {
  const std::vector<RowKind> far{{.low = -127, .spread = 90, .zero_blocks = true},
                                 {.low = 70, .spread = 9},
                                 {.low = -100, .spread = 1},
                                 {.low = -20, .spread = 110}};
  expect_right({.problem = "24x40x256:e2m1/1x32:e2m1/1x32:f32:packed",
                .activations = far,
                .weights = {{.low = -60, .spread = 5}}});
  expect_right({.problem = "24x40x256:e2m1/1x32:e2m1/1x32:f32:packed",
                .type = FoldType::int8,
                .activations = {{.low = -40, .spread = 70}, {.low = 30, .spread = 40}}});
}

TEST_F(Rescue, GivesNanWhereItIsDue) {
  const std::vector<RowKind> weights{{.low = -4, .spread = 3}, {.low = -4, .spread = 2, .nan = true}};
  for (const auto base : {FoldBase::row, FoldBase::tensor, FoldBase::chunk})
    expect_right({.problem = "37x70x160:e2m1/1x32:e2m1/1x32:bf16:packed",
                  .a_base = base,
                  .w_base = base,
                  .activations = some_wide,
                  .weights = weights});
  expect_right({.problem = "37x70x160:e2m1/1x32:e2m1/1x32:bf16:packed",
                .type = FoldType::int8,
                .a_base = FoldBase::tensor,
                .activations = {{.low = -3, .spread = 2, .nan = true}, {.low = -3, .spread = 2}}});
}

TEST_F(Rescue, IsRightOnSumsOfOneSignOverALongK) {
  expect_right({.problem = "5x40x32768:e2m1/1x32:e2m1/1x32:f32:packed",
                .activations = {{.low = -3, .spread = 16, .positive = true}},
                .weights = {{.low = -4, .spread = 3, .positive = true}}});
}

}  // namespace
}  // namespace gemmtune
