// Every candidate of the int8 path against exact integer sums.
#include <algorithm>

#include "int8_harness.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::uint64_t seed = 20261127;

struct Shape {
  std::int64_t m{}, n{}, k{}, batch{1};
};

const std::vector<Shape>& awkward_shapes() {
  static const std::vector<Shape> shapes{{1, 1, 32},      {2, 5, 96},     {3, 16, 64},  {5, 33, 100},
                                         {7, 70, 1},      {13, 8, 160},   {31, 65, 96}, {33, 47, 1100},
                                         {17, 30, 64, 2}, {1, 100, 4096}, {6, 9, 18816}};
  return shapes;
}

/// All bytes, -128 among them, with f32 scales around 1/100.
HostOperands full_range_operands(const Problem& problem) {
  std::mt19937_64 random(seed);
  const OperandBytes sizes = operand_sizes(problem);
  HostOperands host;
  for (auto [tensor, size] : {std::pair{&host.a, sizes.a}, {&host.w, sizes.w}}) {
    tensor->resize(static_cast<std::size_t>(size));
    for (auto& byte : *tensor) byte = static_cast<std::byte>(random());
  }
  for (auto [tensor, size] : {std::pair{&host.a_scale, sizes.a_scale}, {&host.w_scale, sizes.w_scale}}) {
    tensor->resize(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < tensor->size(); i += 4) {
      const float scale = 0.002F + static_cast<float>(random() % 1000) * 1e-5F;
      std::memcpy(tensor->data() + i, &scale, 4);
    }
  }
  if (problem.epilogue.bias) host.bias = draw_operands(problem, Recipe::gaussian, seed).bias;
  return host;
}

float scale_at(const std::vector<std::byte>& scales, Side side, std::int64_t batch, std::int64_t rows,
               std::int64_t row) {
  float value{};
  const std::int64_t at = side.scaling == Scaling::row ? batch * rows + row : batch;
  std::memcpy(&value, scales.data() + at * 4, 4);
  return value;
}

struct Expected {
  double value{};
  double magnitude{};  // what rounding errors are relative to
};

Expected expected_at(const Problem& p, const HostOperands& host, std::int64_t b, std::int64_t m, std::int64_t n) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    const auto a = static_cast<std::int8_t>(host.a[static_cast<std::size_t>((b * p.m + m) * p.k + k)]);
    const auto w = static_cast<std::int8_t>(host.w[static_cast<std::size_t>((b * p.n + n) * p.k + k)]);
    sum += a * w;
  }
  const double product =
      static_cast<double>(sum) * scale_at(host.a_scale, p.a, b, p.m, m) * scale_at(host.w_scale, p.w, b, p.n, n);
  const double bias = p.epilogue.bias ? element(host.bias, p.out, n) : 0;
  return {product + bias, std::abs(product) + std::abs(bias)};
}

void expect_right(const Problem& p, const HostOperands& host, const std::string& label) {
  const DeviceInfo info = device_with(label);
  std::vector<Expected> expected;
  for (std::int64_t i = 0; i < p.batch * p.m * p.n; ++i)
    expected.push_back(expected_at(p, host, i / p.n / p.m, i / p.n % p.m, i % p.n));
  const auto candidates = make_cpu_tile_family()->candidates(p, info);
  ASSERT_FALSE(candidates.empty()) << to_string(p);
  EXPECT_LE(candidates.size(), 60U) << to_string(p);
  for (const Candidate& candidate : candidates) {
    const auto c = run_candidate(p, candidate, host, info);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double got = element(c, p.out, static_cast<std::int64_t>(i));
      const double bound = expected[i].magnitude * (spacing(p.out) / 2 + 4e-7) + 1e-7;
      ASSERT_LE(std::abs(got - expected[i].value), bound)
          << reproducer(p, candidate, seed) << " element " << i << " got " << got << " expected " << expected[i].value;
    }
  }
}

class Int8Path : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
};

TEST_P(Int8Path, MultipliesAwkwardShapesOfTheFullRange) {
  int turn = 0;
  for (const Shape& shape : awkward_shapes()) {
    const std::vector<DType> outputs{DType::bf16, DType::f16, DType::f32};
    const Scaling scalings[] = {Scaling::row, Scaling::tensor};
    const Problem problem{.m = shape.m,
                          .n = shape.n,
                          .k = shape.k,
                          .batch = shape.batch,
                          .a = {DType::i8, scalings[turn % 2]},
                          .w = {DType::i8, scalings[turn / 2 % 2]},
                          .out = outputs[static_cast<std::size_t>(turn % 3)],
                          .epilogue = {.bias = turn % 2 == 1},
                          .packed = turn % 3 != 1};
    expect_right(problem, full_range_operands(problem), GetParam());
    ++turn;
  }
}

TEST_P(Int8Path, SumsTheLargestProductsOverTheDeepestK) {
  const Side side{DType::i8, Scaling::tensor};
  const Problem problem{.m = 2, .n = 3, .k = 131071, .a = side, .w = side, .out = DType::f32, .packed = true};
  HostOperands host = full_range_operands(problem);
  std::fill(host.a.begin(), host.a.end(), std::byte{0x80});
  std::fill(host.w.begin(), host.w.end(), std::byte{0x80});
  expect_right(problem, host, GetParam());
}

INSTANTIATE_TEST_SUITE_P(EachIsa, Int8Path, testing::ValuesIn(int8_labels()),
                         [](const auto& isa) { return isa.param; });

TEST(Int8PathSupport, NamesWhatItDoesNotTake) {
  const auto family = make_cpu_tile_family();
  const DeviceInfo info = device_with("portable");
  EXPECT_TRUE(family->supports(parse_problem("4x4x131071:int8/row:int8/row:bf16"), info));
  EXPECT_NE(family->supports(parse_problem("4x4x131072:int8/row:int8/row:bf16"), info).why_not.find("131071"),
            std::string::npos);
}

TEST(Int8PathPrepare, RefusesNamesThatDoNotFit) {
  const auto family = make_cpu_tile_family();
  const Problem problem = parse_problem("4x64x256:int8/row:int8/row:bf16");
  const DeviceInfo info = device_with("portable");
  for (const std::string name :
       {"cpu_tile_int8_avx2_m6_n8_kc256_nb64_t1", "cpu_tile_int8_portable_m5_n16_kc256_nb64_t1",
        "cpu_tile_int8_portable_m4_n16_kc100_nb64_t1", "cpu_tile_int8_portable_m4_n16_kc256_nb60_t1",
        "cpu_tile_int8_portable_m4_n16_kc256_nb64_t0", "cpu_tile_int8_portable_m4_n16"}) {
    EXPECT_THROW(family->prepare(problem, {.family = "cpu_tile", .name = name}, info), std::exception) << name;
  }
  EXPECT_NO_THROW(
      family->prepare(problem, {.family = "cpu_tile", .name = "cpu_tile_int8_portable_m4_n16_kc128_nb64_t2"}, info));
}

}  // namespace
}  // namespace gemmtune::cpu_tile
