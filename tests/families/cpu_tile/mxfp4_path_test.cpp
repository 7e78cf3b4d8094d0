// Tests every candidate of the MXFP4 path: bit for bit where all rows fold, else against a bound around the exact sums.
#include <algorithm>

#include "int8_harness.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::uint64_t seed = 20261127;
constexpr DType outputs[] = {DType::bf16, DType::f16, DType::f32};

/// How the scale bytes of one row are drawn, block by block.
struct RowScales {
  int middle{127};
  int spread{0};  // bytes lie in [middle, middle + spread]
};

Problem mxfp4_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  const Side side{DType::e2m1, Scaling::mx_1x32};
  return {.m = m, .n = n, .k = k, .a = side, .w = side, .packed = true};
}

/// One operand of random codes; `scales_of` says how each row's scales are drawn.
struct Operand {
  std::vector<std::byte> codes{};
  std::vector<std::byte> scales{};
};

template <typename ScalesOf>
Operand draw_operand(std::mt19937_64& random, std::int64_t rows, std::int64_t k, ScalesOf scales_of) {
  Operand operand;
  operand.codes.resize(static_cast<std::size_t>(rows * k / 2));
  for (auto& pair : operand.codes) pair = static_cast<std::byte>(random());
  for (std::int64_t row = 0; row < rows; ++row) {
    const RowScales scales = scales_of(row);
    for (std::int64_t b = 0; b < (k + 31) / 32; ++b) {
      const int byte = scales.middle + static_cast<int>(random() % static_cast<unsigned>(scales.spread + 1));
      operand.scales.push_back(static_cast<std::byte>(std::clamp(byte, 0, 254)));
    }
  }
  return operand;
}

template <typename ScalesOf>
HostOperands draw(const Problem& p, ScalesOf scales_of) {
  std::mt19937_64 random(seed);
  Operand a = draw_operand(random, p.batch * p.m, p.k, scales_of);
  Operand w = draw_operand(random, p.batch * p.n, p.k, scales_of);
  HostOperands host{.a = a.codes, .a_scale = a.scales, .w = w.codes, .w_scale = w.scales};
  if (p.epilogue.bias) host.bias = draw_operands(p, Recipe::gaussian, seed).bias;
  return host;
}

/// Row `row` of an operand in long double: exact, as is any sum of its products that the tests call exact.
std::vector<long double> real_row(const std::vector<std::byte>& codes, const std::vector<std::byte>& scales,
                                  std::int64_t k, std::int64_t row) {
  std::vector<long double> values;
  for (std::int64_t i = 0; i < k; ++i) {
    const int pair = std::to_integer<int>(codes[static_cast<std::size_t>(row * (k / 2) + i / 2)]);
    const int scale = std::to_integer<int>(scales[static_cast<std::size_t>(row * ((k + 31) / 32) + i / 32)]);
    const long double code = e2m1_to_float(static_cast<std::uint8_t>((i % 2 == 0 ? pair : pair >> 4) & 15));
    values.push_back(scale == 255 ? std::nanl("") : std::ldexp(code, scale - 127));
  }
  return values;
}

struct Expected {
  long double value{};
  long double magnitude{};
};

std::vector<Expected> expected_product(const Problem& p, const HostOperands& host) {
  std::vector<std::vector<long double>> a, w;
  for (std::int64_t r = 0; r < p.batch * p.m; ++r) a.push_back(real_row(host.a, host.a_scale, p.k, r));
  for (std::int64_t r = 0; r < p.batch * p.n; ++r) w.push_back(real_row(host.w, host.w_scale, p.k, r));
  std::vector<Expected> all;
  for (std::int64_t i = 0; i < p.batch * p.m * p.n; ++i) {
    const std::int64_t batch = i / p.n / p.m;
    const auto& row = a[static_cast<std::size_t>(i / p.n)];
    const auto& column = w[static_cast<std::size_t>(batch * p.n + i % p.n)];
    Expected sum;
    for (std::size_t k = 0; k < row.size(); ++k) {
      sum.value += row[k] * column[k];
      sum.magnitude += std::abs(row[k] * column[k]);
    }
    if (p.epilogue.bias) sum.value += element(host.bias, p.out, i % p.n);
    if (p.epilogue.bias) sum.magnitude += std::abs(element(host.bias, p.out, i % p.n));
    all.push_back(sum);
  }
  return all;
}

std::uint32_t raw_bits(const std::vector<std::byte>& tensor, DType type, std::size_t i) {
  const std::size_t size = type == DType::f32 ? 4 : 2;
  std::uint32_t raw = 0;
  std::memcpy(&raw, tensor.data() + i * size, size);
  return raw;
}

/// The value of a bit pattern; where that is infinity, the number that would follow the largest finite one.
long double value_of_bits(std::uint32_t raw, DType type) {
  std::vector<std::byte> one(4);
  std::memcpy(one.data(), &raw, 4);
  const double value = element(one, type, 0);
  if (!std::isinf(value)) return value;
  return std::copysign(std::ldexp(1.0L, type == DType::f16 ? 16 : 128), static_cast<long double>(value));
}

/// Whether the output is the value nearest to the exact one, and the even one on a tie.
bool is_nearest_even(std::uint32_t raw, DType type, long double exact) {
  const std::uint32_t sign = type == DType::f32 ? 0x80000000U : 0x8000U;
  const long double error = std::abs(value_of_bits(raw, type) - exact);
  const bool odd = (raw & 1) != 0;
  const auto beats = [&](std::uint32_t neighbour) {
    const long double other = std::abs(value_of_bits(neighbour, type) - exact);
    return other < error || (other == error && odd);
  };
  const bool is_infinite =
      std::isinf(static_cast<double>(value_of_bits(raw, type))) || (raw & ~sign) == (type == DType::f32   ? 0x7f800000U
                                                                                     : type == DType::f16 ? 0x7c00U
                                                                                                          : 0x7f80U);
  if (is_infinite && std::abs(exact) >= std::abs(value_of_bits(raw, type))) return (exact > 0) == ((raw & sign) == 0);
  if (!is_infinite && beats(raw + 1)) return false;
  if ((raw & ~sign) == 0) return !beats(sign | 1U) && !beats(1U);
  return !beats(raw - 1);
}

/// `exact`: every row and column folds, so that the result must be the exact one rounded. `close`: a bound applies.
enum class Claim { exact, close };

void expect_right(const Problem& p, const HostOperands& host, const std::string& label, Claim claim) {
  const DeviceInfo info = device_with(label);
  const auto expected = expected_product(p, host);
  const auto candidates = make_cpu_tile_family()->candidates(p, info);
  ASSERT_FALSE(candidates.empty());
  EXPECT_LE(candidates.size(), 60U) << to_string(p);
  for (const Candidate& candidate : candidates) {
    const auto c = run_candidate(p, candidate, host, info);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const long double exact = expected[i].value;
      const double got = element(c, p.out, static_cast<std::int64_t>(i));
      const std::string where = reproducer(p, candidate, seed) + " element " + std::to_string(i);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(got)) << where;
      } else if (claim == Claim::exact) {
        ASSERT_TRUE(is_nearest_even(raw_bits(c, p.out, i), p.out, exact))
            << where << " got " << got << " for " << exact;
      } else {
        const long double bound = expected[i].magnitude * 1e-12L + std::abs(exact) * spacing(p.out) + 1e-7L;
        ASSERT_LE(std::abs(got - exact), bound) << where << " got " << got << " for " << exact;
      }
    }
  }
}

class Mxfp4Path : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
};

TEST_P(Mxfp4Path, IsExactOnAwkwardShapesThatFold) {
  struct Shape {
    std::int64_t m{}, n{}, k{}, batch{1};
  };
  int turn = 0;
  for (const Shape& s : std::vector<Shape>{{1, 1, 32},
                                           {2, 5, 96},
                                           {3, 16, 64},
                                           {5, 33, 98},
                                           {7, 70, 2},
                                           {13, 8, 160},
                                           {31, 65, 96},
                                           {33, 47, 1120},
                                           {17, 30, 64, 2},
                                           {1, 100, 4096},
                                           {6, 9, 18816}}) {
    Problem p = mxfp4_problem(s.m, s.n, s.k);
    p.batch = s.batch;
    p.out = outputs[turn % 3];
    p.epilogue.bias = turn % 2 == 1;
    p.packed = turn % 3 != 1;
    const auto scales = [](std::int64_t row) {
      return RowScales{116 + static_cast<int>(row % 5), static_cast<int>(row % 4)};
    };
    expect_right(p, draw(p, scales), GetParam(), Claim::exact);
    ++turn;
  }
}

TEST_P(Mxfp4Path, IsExactForGaussianOperands) {
  Problem p = mxfp4_problem(19, 41, 512);
  for (const DType out : outputs) {
    p.out = out;
    expect_right(p, draw_operands(p, Recipe::gaussian, seed), GetParam(), Claim::exact);
  }
}

TEST_P(Mxfp4Path, RoundsOnceAtTheEdgesOfEveryType) {
  for (const int sum : {-254, -140, -126, -24, -14, 15, 127, 200}) {
    Problem p = mxfp4_problem(5, 17, 96);
    const auto scales = [&](std::int64_t row) {
      const int half = 127 + sum / 2 + static_cast<int>(row % 3) - 1;
      return RowScales{std::clamp(half, 0, 251), 1};
    };
    for (const DType out : outputs) {
      p.out = out;
      expect_right(p, draw(p, scales), GetParam(), Claim::exact);
    }
  }
}

TEST_P(Mxfp4Path, MeetsOppositeExtremesInTheMiddle) {
  Problem p = mxfp4_problem(4, 18, 128);
  p.out = DType::f32;
  std::mt19937_64 random(seed);
  Operand a = draw_operand(random, p.m, p.k, [](std::int64_t row) {
    return row % 2 == 0 ? RowScales{251, 3} : RowScales{0, 3};
  });
  Operand w = draw_operand(random, p.n, p.k, [](std::int64_t row) {
    return row % 2 == 0 ? RowScales{0, 3} : RowScales{251, 3};
  });
  expect_right(p, {.a = a.codes, .a_scale = a.scales, .w = w.codes, .w_scale = w.scales}, GetParam(), Claim::exact);
}

TEST_P(Mxfp4Path, GoesByBlocksWhereRowsOrColumnsDoNotFold) {
  for (const int every : {1, 3, 7}) {
    Problem p = mxfp4_problem(35, 37, 224);
    p.epilogue.bias = every == 3;
    p.packed = every != 7;
    p.out = DType::f32;
    const auto scales = [&](std::int64_t row) {
      return row % every == 0 ? RowScales{110, 4 + static_cast<int>(row) % 37} : RowScales{120, 2};
    };
    expect_right(p, draw(p, scales), GetParam(), Claim::close);
  }
}

TEST_P(Mxfp4Path, GoesByBlocksOverAllExponents) {
  Problem p = mxfp4_problem(6, 20, 130);
  p.out = DType::f32;
  HostOperands host = draw(p, [](std::int64_t) { return RowScales{0, 254}; });
  for (std::size_t i = 0; i < host.a_scale.size(); ++i) {  // A's largest meet W's smallest: products near 1
    const int byte = std::to_integer<int>(host.a_scale[i]);
    const std::size_t block = i % 5;
    for (std::size_t n = 0; n < 20; ++n)
      host.w_scale[n * 5 + block] = static_cast<std::byte>(254 - std::to_integer<int>(host.a_scale[block]));
    if (i >= 5)
      host.a_scale[i] =
          static_cast<std::byte>(std::clamp(std::to_integer<int>(host.a_scale[block]) + byte % 9 - 4, 0, 254));
  }
  expect_right(p, host, GetParam(), Claim::close);
}

TEST_P(Mxfp4Path, LeavesZeroBlocksAndRowsOut) {
  Problem p = mxfp4_problem(9, 21, 160);
  HostOperands host = draw(p, [](std::int64_t row) { return RowScales{118, static_cast<int>(row % 3)}; });
  for (auto [codes, scales] : {std::pair{&host.a, &host.a_scale}, {&host.w, &host.w_scale}}) {
    for (std::size_t block = 0; block < scales->size(); ++block) {
      const bool whole_row = block / 5 == 4;
      if (!whole_row && block % 3 != 0) continue;
      std::fill_n(codes->begin() + static_cast<std::ptrdiff_t>(block) * 16, 16, std::byte{0});
      (*scales)[block] = static_cast<std::byte>(block % 2 == 0 ? 0 : 254);
    }
  }
  for (const DType out : outputs) {
    p.out = out;
    expect_right(p, host, GetParam(), Claim::exact);
  }
}

TEST_P(Mxfp4Path, SpreadsNanScalesOverRowsAndColumns) {
  Problem p = mxfp4_problem(9, 21, 160);
  HostOperands host = draw(p, [](std::int64_t row) { return row % 4 == 3 ? RowScales{110, 20} : RowScales{120, 2}; });
  host.a_scale[2 * 5 + 3] = std::byte{255};
  host.a_scale[3 * 5] = std::byte{255};
  host.w_scale[7 * 5 + 4] = std::byte{255};
  host.w_scale[20 * 5 + 1] = std::byte{255};
  p.out = DType::f32;
  expect_right(p, host, GetParam(), Claim::close);
  p.epilogue.bias = true;
  p.out = DType::bf16;
  host.bias = draw_operands(p, Recipe::gaussian, seed).bias;
  expect_right(p, host, GetParam(), Claim::close);
}

INSTANTIATE_TEST_SUITE_P(EachIsa, Mxfp4Path, testing::ValuesIn(int8_labels()),
                         [](const auto& isa) { return isa.param; });

TEST(Mxfp4PathSupport, NamesWhatItDoesNotTake) {
  const auto family = make_cpu_tile_family();
  const DeviceInfo info = device_with("portable");
  EXPECT_TRUE(family->supports(mxfp4_problem(4, 4, 233016), info));
  EXPECT_NE(family->supports(mxfp4_problem(4, 4, 233024), info).why_not.find("233016"), std::string::npos);
}

}  // namespace
}  // namespace gemmtune::cpu_tile
