#include "gemmtune/families/onednn/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "gemmtune/gemm/numeric.h"

namespace gemmtune::onednn {
namespace {

StoredOperand operand(Side side, std::int64_t batch, std::int64_t rows, std::int64_t k) {
  const Problem problem{.m = rows, .n = 1, .k = k, .batch = batch, .a = side};
  return {.side = side, .matrix = stored_a(problem)};
}

/// All codes of a type, one row, without scales.
std::vector<float> all_values(DType type) {
  const std::int64_t count = std::int64_t{1} << bits(type);
  std::vector<std::byte> stored(static_cast<std::size_t>(storage_bytes(type, count)));
  for (std::int64_t i = 0; i < count; ++i) {
    if (bits(type) == 4) stored[i / 2] |= static_cast<std::byte>(i << (i % 2 * 4));
    if (bits(type) == 8) stored[i] = static_cast<std::byte>(i);
    const auto code = static_cast<std::uint16_t>(i);
    if (bits(type) == 16) std::memcpy(&stored[2 * i], &code, sizeof code);
  }
  std::vector<float> values(static_cast<std::size_t>(count));
  convert_operand({.from = operand({.type = type}, 1, 1, count), .to = DType::f32}, stored.data(), nullptr,
                  reinterpret_cast<std::byte*>(values.data()));
  return values;
}

template <typename Meaning>
void expect_codes(DType type, Meaning meaning) {
  const auto values = all_values(type);
  for (std::size_t code = 0; code < values.size(); ++code) {
    const float expected = meaning(code);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(values[code])) << to_string(type) << " " << code;
    } else {
      EXPECT_EQ(values[code], expected) << to_string(type) << " " << code;
    }
  }
}

TEST(ConvertOperand, EveryCodeMeansWhatItShould) {
  using U8 = std::uint8_t;
  using U16 = std::uint16_t;
  expect_codes(DType::e2m1, [](auto code) { return e2m1_to_float(static_cast<U8>(code)); });
  expect_codes(DType::e4m3, [](auto code) { return e4m3_to_float(static_cast<U8>(code)); });
  expect_codes(DType::e4m3fnuz, [](auto code) { return e4m3fnuz_to_float(static_cast<U8>(code)); });
  expect_codes(DType::i8, [](auto code) { return static_cast<float>(static_cast<std::int8_t>(code)); });
  expect_codes(DType::bf16, [](auto code) { return bf16_to_float(static_cast<U16>(code)); });
  expect_codes(DType::f16, [](auto code) { return f16_to_float(static_cast<U16>(code)); });
}

TEST(ConvertOperand, ScalesOfEachBatchAndBlock) {
  // Two batches of two rows of 160: the second block of 128 is partial, and each batch has a grid of its own.
  const Side side{.type = DType::i8, .scaling = Scaling::block_1x128};
  const std::vector<std::int8_t> ones(2 * 2 * 160, 1);
  const std::vector<float> scales{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> out(ones.size());
  convert_operand({.from = operand(side, 2, 2, 160), .to = DType::f32}, reinterpret_cast<const std::byte*>(ones.data()),
                  reinterpret_cast<const std::byte*>(scales.data()), reinterpret_cast<std::byte*>(out.data()));
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], scales[i / 160 * 2 + i % 160 / 128]) << i;
}

TEST(ConvertOperand, RowsOfKTakeTheScalesOfTheirColumns) {
  // Weights [K = 2, N = 3] with a leading dimension of 5 and one scale for each of N. What the gaps hold is not
  // converted.
  const Problem problem{.m = 1,
                        .n = 3,
                        .k = 2,
                        .w = {DType::i8, Scaling::row},
                        .layout = {.w = Major::mn, .w_strides = {.leading_dimension = 5}}};
  const std::vector<std::int8_t> values{1, 2, 3, 99, 99, 4, 5, 6};
  const std::vector<float> scales{1, 10, 100};
  std::vector<float> out(6);
  convert_operand({.from = {.side = problem.w, .matrix = stored_w(problem), .major = Major::mn}, .to = DType::f32},
                  reinterpret_cast<const std::byte*>(values.data()), reinterpret_cast<const std::byte*>(scales.data()),
                  reinterpret_cast<std::byte*>(out.data()));
  EXPECT_EQ(out, (std::vector<float>{1, 20, 300, 4, 50, 600}));
}

TEST(ConvertOperand, NaNScaleMakesNaN) {
  const Side side{.type = DType::e2m1, .scaling = Scaling::mx_1x32};
  const std::vector<std::byte> zeros(32);
  const std::vector<std::byte> scales{std::byte{255}, std::byte{0}};
  for (const DType to : {DType::f32, DType::bf16}) {
    std::vector<std::byte> out(64 * 4);
    convert_operand({.from = operand(side, 1, 1, 64), .to = to}, zeros.data(), scales.data(), out.data());
    float first{};
    std::memcpy(&first, out.data(), sizeof first);
    EXPECT_TRUE(std::isnan(first)) << to_string(to);  // two bf16 NaN read as one float are NaN too
  }
}

/// Finishes one row and returns the stored bits.
template <typename Stored>
std::vector<Stored> finished(const std::vector<float>& product, DType out) {
  const auto n = static_cast<std::int64_t>(product.size());
  std::vector<Stored> c(product.size());
  Operands operands;
  operands.c = reinterpret_cast<std::byte*>(c.data());
  finish_product({.problem = {.m = 1, .n = n, .k = 1, .out = out}, .product = DType::f32},
                 reinterpret_cast<const std::byte*>(product.data()), operands);
  return c;
}

/// Floats around every rounding step of 16-bit formats, and the special ones.
std::vector<float> telling_floats() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000U; ++high) {
    for (const std::uint32_t low : {0x0000U, 0x0001U, 0x0fffU, 0x1000U, 0x1001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      values.push_back(std::bit_cast<float>(high << 16U | low));
    }
  }
  return values;
}

TEST(FinishProduct, RoundsAsNumericDoes) {
  const auto values = telling_floats();
  const auto bf16 = finished<std::uint16_t>(values, DType::bf16);
  const auto f16 = finished<std::uint16_t>(values, DType::f16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(bf16_to_float(bf16[i])) && std::isnan(f16_to_float(f16[i]))) << i;
      continue;
    }
    ASSERT_EQ(bf16[i], float_to_bf16(values[i])) << values[i];
    ASSERT_EQ(f16[i], float_to_f16(values[i])) << values[i];
  }
}

TEST(FinishProduct, ScalesAndBias) {
  const Problem problem{.m = 2,
                        .n = 3,
                        .k = 1,
                        .a = {DType::i8, Scaling::row},
                        .w = {DType::i8, Scaling::row},
                        .out = DType::f32,
                        .epilogue = {.bias = true}};
  const std::vector<std::int32_t> product{1, 2, 3, 4, 5, 6};
  const std::vector<float> a_scale{2, 4};
  const std::vector<float> w_scale{1, 0.5, 8};
  const std::vector<float> bias{10, 20, 30};
  std::vector<float> c(6);
  Operands operands;
  operands.a_scale = reinterpret_cast<const std::byte*>(a_scale.data());
  operands.w_scale = reinterpret_cast<const std::byte*>(w_scale.data());
  operands.bias = reinterpret_cast<const std::byte*>(bias.data());
  operands.c = reinterpret_cast<std::byte*>(c.data());
  finish_product({.problem = problem, .product = DType::i32, .scales = ScaleUse::multiply},
                 reinterpret_cast<const std::byte*>(product.data()), operands);
  EXPECT_EQ(c, (std::vector<float>{12, 22, 78, 26, 30, 222}));
}

TEST(FinishProduct, ResidualAndActivationBetweenGaps) {
  const Problem problem{.m = 2,
                        .n = 2,
                        .k = 1,
                        .out = DType::f32,
                        .epilogue = {.bias = true, .activation = Activation::relu, .residual = true},
                        .layout = {.c_strides = {.leading_dimension = 3}}};
  const std::vector<float> product{1, -20, 3, 4};
  const std::vector<float> bias{10, 0};
  const std::vector<float> residual{5, 6, 99, 7, -8};
  std::vector<float> c(5, -1);
  Operands operands;
  operands.bias = reinterpret_cast<const std::byte*>(bias.data());
  operands.residual = reinterpret_cast<const std::byte*>(residual.data());
  operands.c = reinterpret_cast<std::byte*>(c.data());
  finish_product({.problem = problem, .product = DType::f32}, reinterpret_cast<const std::byte*>(product.data()),
                 operands);
  EXPECT_EQ(c, (std::vector<float>{16, 0, -1, 20, 0}));
}

}  // namespace
}  // namespace gemmtune::onednn
