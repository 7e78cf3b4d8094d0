// Compares folding with a model on the host, bit for bit, and with the real values.
#include "gemmtune/kernels/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/shuffle.h"
#include "gemmtune/kernels/fold_words.h"
#include "tests/kernels/mxfp4_rows.h"
#include "tests/kernels/on_gpu.h"

namespace gemmtune {
namespace {

/// The range of the exponents of some blocks.
struct Exponents {
  int low{1000};
  int high{-1000};

  void add(int exponent) {
    low = std::min(low, exponent);
    high = std::max(high, exponent);
  }
  bool empty() const { return low > high; }
};

/// The expected result for those blocks of a row that share a base.
struct Expected {
  bool nan{};
  bool wide{};
  int base{};
};

struct ExpectedRow {
  std::vector<Expected> parts{};  // one for each chunk, or one for the row
  bool wide{};
};

struct Model {
  const Mxfp4Rows& rows;
  FoldSpec spec;

  std::int64_t blocks_of_a_part() const { return spec.base == FoldBase::chunk ? 4 : rows.blocks(); }
  std::int64_t part_of(std::int64_t column) const { return column / 32 / blocks_of_a_part(); }

  ExpectedRow row(std::int64_t row) const {
    if (spec.base == FoldBase::none) return {.parts = {{}}};
    ExpectedRow expected;
    for (std::int64_t block = 0; block < rows.blocks(); block += blocks_of_a_part())
      expected.parts.push_back(judge(row, block, std::min(block + blocks_of_a_part(), rows.blocks())));
    expected.wide = std::ranges::any_of(expected.parts, &Expected::wide);
    if (expected.wide) expected.parts.assign(expected.parts.size(), {.wide = true});
    const bool nan_has_no_place = spec.base == FoldBase::tensor && spec.type == FoldType::int8;
    expected.wide = expected.wide || (nan_has_no_place && expected.parts[0].nan);
    return expected;
  }

  int lowest() const { return spec.type == FoldType::e4m3 ? -8 : spec.type == FoldType::int8 ? 0 : -120; }
  int highest() const { return spec.type == FoldType::int8 ? 3 : 6; }

  Exponents exponents(std::int64_t row, std::int64_t first, std::int64_t last, bool zeros_too) const {
    Exponents found;
    for (auto block = first; block < last; ++block)
      if (zeros_too || !rows.is_zero_block(row, block)) found.add(rows.scale(row, block) - 127);
    return found;
  }

  int base_for(const Exponents& found) const {
    const bool from_below = spec.type == FoldType::int8 && spec.fill == FoldFill::low;
    return std::clamp(from_below ? found.low : found.high - highest(), -60, 60);
  }

  int tensor_base() const {
    int high = -127;
    for (const auto byte : rows.e8m0)
      if (byte != 255) high = std::max(high, byte - 127);
    return base_for({std::max(high - 3, -127), high});
  }

  Expected judge(std::int64_t row, std::int64_t first, std::int64_t last) const {
    for (auto block = first; block < last; ++block)
      if (rows.scale(row, block) == 255) return {.nan = true};
    Expected expected;
    for (const bool zeros_too : {true, false}) {
      const auto found = exponents(row, first, last, zeros_too);
      if (found.empty()) return {.base = 0};
      expected.base = spec.base == FoldBase::tensor ? tensor_base() : base_for(found);
      expected.wide = found.low - expected.base < lowest() || found.high - expected.base > highest();
      if (!expected.wide) break;
    }
    return expected;
  }

  float scale(const Expected& expected) const {
    if (expected.nan) return std::numeric_limits<float>::quiet_NaN();
    if (expected.wide) return 0;
    return std::ldexp(1.0F, expected.base - (spec.type == FoldType::int8 ? 1 : 0));
  }

  /// The stored value as its bits.
  unsigned value(std::int64_t row, std::int64_t column, const Expected& expected) const {
    const float code = e2m1_to_float(rows.code(row, column));
    const auto byte = rows.scale(row, column / 32);
    if (spec.base == FoldBase::none)
      return byte == 255 ? 0x7fc0U : float_to_bf16(code == 0 ? code : std::ldexp(code, byte - 127));
    if (expected.nan && spec.base == FoldBase::tensor && spec.type == FoldType::e4m3) return 0x7f;
    if (expected.nan && spec.base == FoldBase::tensor && spec.type == FoldType::bf16) return 0x7fc0;
    if (expected.nan || expected.wide) return 0;
    const float shifted = code == 0 ? code : std::ldexp(code, byte - 127 - expected.base);
    if (spec.type == FoldType::e4m3) return float_to_e4m3(shifted);
    if (spec.type == FoldType::bf16) return float_to_bf16(shifted);
    return static_cast<std::uint8_t>(static_cast<std::int8_t>(2 * shifted));
  }
};

double stored_value(FoldType type, unsigned bits) {
  if (type == FoldType::e4m3) return e4m3_to_float(static_cast<std::uint8_t>(bits));
  if (type == FoldType::bf16) return bf16_to_float(static_cast<std::uint16_t>(bits));
  return static_cast<std::int8_t>(bits);
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b);
}

/// All NaN are equal, whatever their bits.
bool same_bits(FoldType type, unsigned a, unsigned b) {
  return a == b || (std::isnan(stored_value(type, a)) && std::isnan(stored_value(type, b)));
}

class Fold : public KernelsOnGpu {
 protected:
  struct Result {
    std::vector<unsigned> values{};
    std::vector<float> scales{};
    std::vector<std::uint8_t> wide{};
    FoldReport report{};
  };

  Result folded(const Mxfp4Rows& rows, const FoldSpec& spec) {
    auto values = rows.values;
    auto e8m0 = rows.e8m0;
    if (spec.values == InputLayout::shuffled) values = bytes_of(shuffle_weights(bytes(values), rows.rows, rows.k / 2));
    if (spec.e8m0 == InputLayout::shuffled) e8m0 = bytes_of(shuffle_scales(bytes(e8m0), rows.rows, rows.blocks()));
    const auto from = uploaded(values);
    const auto scales = uploaded(e8m0);
    const Folder folder(spec, arch());
    const auto at = folder.layout();
    const auto to = poisoned(at.bytes);
    folder.launch(from.data(), scales.data(), to.data(), stream());
    Result result{.report = folder.report(to.data(), stream())};
    if (spec.type == FoldType::bf16)
      for (const auto bits : downloaded<std::uint16_t>(to, at.values, rows.rows * rows.k))
        result.values.push_back(bits);
    else
      for (const auto bits : downloaded<std::uint8_t>(to, at.values, rows.rows * rows.k)) result.values.push_back(bits);
    if (spec.base == FoldBase::none) return result;
    const auto of_a_row = spec.base == FoldBase::chunk ? (rows.k + 127) / 128 : 1;
    result.scales = downloaded<float>(to, at.scales, spec.base == FoldBase::tensor ? 1 : rows.rows * of_a_row);
    result.wide = downloaded<std::uint8_t>(to, at.wide, rows.rows);
    return result;
  }

  void expect_right(const Mxfp4Rows& rows, const FoldSpec& spec) {
    SCOPED_TRACE(fmt::format("{} {} of {} x {}, values {}, scales {}", fold_word(spec.type), fold_word(spec.base),
                             rows.rows, rows.k, fold_word(spec.values), fold_word(spec.e8m0)));
    const auto result = folded(rows, spec);
    const Model model{rows, spec};
    std::int64_t wide_rows = 0;
    for (std::int64_t row = 0; row < rows.rows && !HasFatalFailure(); ++row) {
      SCOPED_TRACE(fmt::format("row {}", row));
      const auto expected = model.row(row);
      wide_rows += expected.wide ? 1 : 0;
      expect_marks(model, row, expected, result);
      for (std::int64_t column = 0; column < rows.k && !HasFatalFailure(); ++column)
        expect_value(model, row, column, expected, result);
    }
    EXPECT_EQ(result.report.wide_rows, wide_rows);
  }

  static void expect_marks(const Model& model, std::int64_t row, const ExpectedRow& expected, const Result& result) {
    const auto base = model.spec.base;
    if (base == FoldBase::none) return;
    ASSERT_EQ(result.wide[row] == wide_row, expected.wide);
    if (base == FoldBase::tensor) return;
    for (std::size_t part = 0; part < expected.parts.size(); ++part)
      ASSERT_TRUE(same(result.scales[part * model.rows.rows + row], model.scale(expected.parts[part])));
  }

  /// The stored value must be the model's. Times its scale it must be the real value, unless the row does not fold.
  static void expect_value(const Model& model, std::int64_t row, std::int64_t column, const ExpectedRow& expected,
                           const Result& result) {
    const auto part = model.part_of(column);
    const auto got = result.values[row * model.rows.k + column];
    const auto wanted = model.value(row, column, expected.parts[part]);
    ASSERT_TRUE(same_bits(model.spec.type, got, wanted)) << "column " << column << ": " << got << ", not " << wanted;
    if (expected.wide || expected.parts[part].nan) return;
    const auto base = model.spec.base;
    const auto scale = base == FoldBase::none     ? 1.0F
                       : base == FoldBase::tensor ? result.scales[0]
                                                  : result.scales[part * model.rows.rows + row];
    const auto product = stored_value(model.spec.type, got) * static_cast<double>(scale);
    const auto real = model.rows.value(row, column);
    const bool beyond_bf16 = base == FoldBase::none && std::fabs(real) > 0x1.fep127;
    ASSERT_TRUE(beyond_bf16 || product == real || (std::isnan(product) && std::isnan(real))) << "column " << column;
  }

  static std::span<const std::byte> bytes(const std::vector<std::uint8_t>& from) {
    return std::as_bytes(std::span(from));
  }
  static std::vector<std::uint8_t> bytes_of(const std::vector<std::byte>& from) {
    std::vector<std::uint8_t> to;
    for (const auto byte : from) to.push_back(static_cast<std::uint8_t>(byte));
    return to;
  }
};

const std::vector<FoldType> types{FoldType::e4m3, FoldType::int8, FoldType::bf16};
const std::vector<FoldBase> bases{FoldBase::row, FoldBase::tensor, FoldBase::chunk, FoldBase::none};

TEST_F(Fold, IsTheModelsBitForBit) {
  for (const auto type : types)
    for (const auto base : bases) {
      if (base == FoldBase::none && type != FoldType::bf16) continue;
      for (const std::int64_t k : {32, 96, 640, 18816})
        expect_right(make_rows(k > 1000 ? 160 : 301, k, all_kinds(), 7),
                     {.type = type, .base = base, .rows = k > 1000 ? 160 : 301, .k = k});
    }
}

TEST_F(Fold, OfATensorWhoseRowsFitTogether) {
  const std::vector<RowKind> kinds{
      {.low = -5, .spread = 3}, {.low = -4, .spread = 2, .zero_blocks = true}, {.low = -3, .nan = true}};
  for (const auto type : types)
    expect_right(make_rows(77, 4096, kinds, 3), {.type = type, .base = FoldBase::tensor, .rows = 77, .k = 4096});
}

TEST_F(Fold, OfInt8FilledFromAbove) {
  for (const auto base : {FoldBase::row, FoldBase::tensor, FoldBase::chunk})
    expect_right(make_rows(160, 640, all_kinds(), 13),
                 {.type = FoldType::int8, .base = base, .rows = 160, .k = 640, .fill = FoldFill::high});
}

TEST_F(Fold, OfOneLongRow) {
  for (const auto base : {FoldBase::row, FoldBase::tensor, FoldBase::chunk})
    expect_right(make_rows(1, 57344, {{.low = -4, .spread = 9}}, 5),
                 {.type = FoldType::e4m3, .base = base, .rows = 1, .k = 57344});
}

TEST_F(Fold, OfShuffledTensors) {
  for (const auto type : types)
    expect_right(make_rows(304, 448, all_kinds(), 11), {.type = type,
                                                        .base = FoldBase::row,
                                                        .rows = 304,
                                                        .k = 448,
                                                        .values = InputLayout::shuffled,
                                                        .e8m0 = InputLayout::shuffled});
  expect_right(
      make_rows(304, 448, {{.low = -5, .spread = 8}}, 11),
      {.type = FoldType::e4m3, .base = FoldBase::tensor, .rows = 304, .k = 448, .e8m0 = InputLayout::shuffled});
}

TEST_F(Fold, WeightsThatDoNotFitAreRefusedInWords) {
  const auto rows = make_rows(3, 256, {{.spread = 2}, {.spread = 16}, {.spread = 14}}, 1);
  const Folder folder({.type = FoldType::e4m3, .base = FoldBase::row, .rows = 3, .k = 256}, arch());
  const auto to = poisoned(folder.layout().bytes);
  try {
    folder.fold_weights(uploaded(rows.values).data(), uploaded(rows.e8m0).data(), to.data(), stream());
    FAIL() << "weights with a wide row were folded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("1 of 3 rows"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("15 block exponents, and 17"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gemmtune
