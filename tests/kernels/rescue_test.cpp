// Compares rescued wide rows with a product in double.
#include "gemmtune/kernels/rescue.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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

/// The operands of a case, and how they are folded.
struct Factors {
  Problem problem;
  Mxfp4Rows a;
  Mxfp4Rows w;
  FoldSpec a_spec;
  FoldSpec w_spec;

  explicit Factors(const Case& one)
      : problem(parse_problem(one.problem)),
        a(make_rows(problem.batch * problem.m, problem.k, one.activations, 21)),
        w(make_rows(problem.batch * problem.n, problem.k, one.weights, 22)),
        a_spec{.type = one.type, .base = one.a_base, .rows = a.rows, .k = a.k},
        w_spec{.type = one.type, .base = one.w_base, .rows = w.rows, .k = w.k} {}

  static float bias(std::int64_t n) { return static_cast<float>(n % 5) * 0.5F; }

  /// The bias in the output's type.
  std::vector<std::uint8_t> bias_bytes() const {
    std::vector<std::uint8_t> bytes;
    for (std::int64_t n = 0; n < problem.n; ++n) {
      const auto bits = problem.out == DType::f32   ? std::bit_cast<std::uint32_t>(bias(n))
                        : problem.out == DType::f16 ? std::uint32_t{float_to_f16(bias(n))}
                                                    : std::uint32_t{float_to_bf16(bias(n))};
      for (int byte = 0; byte < bytes_of_an_output(); ++byte)
        bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * byte)));
    }
    return bytes;
  }

  int bytes_of_an_output() const { return problem.out == DType::f32 ? 4 : 2; }
};

/// The contents of C, and the marks of rows.
struct Result {
  std::vector<std::uint8_t> c{};
  std::vector<std::uint8_t> marks{};
};

/// An element of C in double, and the sum of its terms' magnitudes.
struct Expected {
  double value{};
  double size{};
};

class Product {
 public:
  explicit Product(const Factors& factors) : factors_(factors), a_(factors.a.real()), w_(factors.w.real()) {}

  Expected at(std::int64_t row, std::int64_t n) const {
    const auto& problem = factors_.problem;
    const double bias = problem.epilogue.bias ? Factors::bias(n) : 0;
    Expected expected{bias, std::fabs(bias)};
    const double* a = &a_[row * problem.k];
    const double* w = &w_[(row / problem.m * problem.n + n) * problem.k];
    for (std::int64_t k = 0; k < problem.k; ++k) {
      expected.value += a[k] * w[k];
      expected.size += std::fabs(a[k] * w[k]);
    }
    return expected;
  }

 private:
  const Factors& factors_;
  std::vector<double> a_;
  std::vector<double> w_;
};

double out_value(DType type, const std::uint8_t* bytes) {
  if (type == DType::f32) {
    float value{};
    std::memcpy(&value, bytes, 4);
    return value;
  }
  const auto bits = static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
  return type == DType::f16 ? f16_to_float(bits) : bf16_to_float(bits);
}

double eps_of(DType type) { return type == DType::f32 ? 0x1p-23 : type == DType::f16 ? 0x1p-10 : 0x1p-7; }

void expect_close(DType type, double got, const Expected& expected) {
  if (std::isnan(expected.value)) {
    ASSERT_TRUE(std::isnan(got)) << got;
    return;
  }
  constexpr double above_f16 = 65520;
  if (type == DType::f16 && std::fabs(expected.value) > above_f16) {
    ASSERT_EQ(got, std::copysign(std::numeric_limits<double>::infinity(), expected.value));
    return;
  }
  const double bound = eps_of(type) * std::fabs(expected.value) + 0x1p-20 * expected.size + 0x1p-149;
  ASSERT_LE(std::fabs(got - expected.value), bound) << got << ", expected " << expected.value;
}

class Rescue : public KernelsOnGpu {
 protected:
  Result rescued(const Factors& factors) {
    const Folder fold_a(factors.a_spec, arch());
    const Folder fold_w(factors.w_spec, arch());
    const auto a_values = uploaded(factors.a.values);
    const auto a_scales = uploaded(factors.a.e8m0);
    const auto w_values = uploaded(factors.w.values);
    const auto w_scales = uploaded(factors.w.e8m0);
    const auto bias = uploaded(factors.bias_bytes());
    const auto folded_a = poisoned(fold_a.layout().bytes);
    const auto folded_w = poisoned(fold_w.layout().bytes);
    const auto c = poisoned(static_cast<std::size_t>(operand_sizes(factors.problem).c));
    fold_a.launch(a_values.data(), a_scales.data(), folded_a.data(), stream());
    stream().synchronize();  // stands in for the product
    fold_w.fold_weights(w_values.data(), w_scales.data(), folded_w.data(), stream());
    Rescuer(factors.problem, factors.a_spec, factors.w_spec, arch())
        .launch({.a = a_values.data(), .a_scale = a_scales.data(), .bias = bias.data(), .c = c.data()}, folded_a.data(),
                folded_w.data(), stream());
    stream().synchronize();
    return {.c = downloaded<std::uint8_t>(c, 0, operand_sizes(factors.problem).c),
            .marks = downloaded<std::uint8_t>(folded_a, fold_a.layout().wide, factors.a.rows)};
  }

  /// Wide rows must be right, and no other row may be written.
  void expect_right(const Case& one) {
    SCOPED_TRACE(
        fmt::format("{} {} {} x {}", one.problem, fold_word(one.type), fold_word(one.a_base), fold_word(one.w_base)));
    const Factors factors(one);
    const auto result = rescued(factors);
    const Product product(factors);
    const auto row_bytes = factors.problem.n * factors.bytes_of_an_output();
    EXPECT_GT(std::ranges::count(result.marks, wide_row), 0) << "the case has no wide row";
    for (std::int64_t row = 0; row < factors.a.rows && !HasFatalFailure(); ++row) {
      SCOPED_TRACE(fmt::format("row {}", row));
      const auto* bytes = result.c.data() + row * row_bytes;
      if (result.marks[row] != wide_row) {
        ASSERT_EQ(std::count(bytes, bytes + row_bytes, 0xff), row_bytes) << "a row that is not wide was written";
        continue;
      }
      for (std::int64_t n = 0; n < factors.problem.n && !HasFatalFailure(); ++n)
        expect_close(factors.problem.out, out_value(factors.problem.out, bytes + n * factors.bytes_of_an_output()),
                     product.at(row, n));
    }
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
