#include "tests/families/check/reference_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gemmtune/gemm/activation.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/gemm/relayout.h"

namespace gemmtune::check {
namespace {

/// An operand's real values [batch][rows][k], from values without gaps.
std::vector<float> real_values(const Problem& p, Side side, std::int64_t rows, const std::byte* values,
                               const std::byte* scales) {
  const ScaleGrid grid = scale_grid(side.scaling, rows, p.k);
  std::vector<float> out(static_cast<std::size_t>(p.batch * rows * p.k));
  for (std::int64_t b = 0; b < p.batch; ++b) {
    dequantise_rows(values + b * rows * storage_bytes(side.type, p.k),
                    grid.count() > 0 ? scales + b * grid.bytes() : nullptr, rows, p.k, side, 0, rows,
                    std::span(out).subspan(b * rows * p.k, rows * p.k));
  }
  return out;
}

double output_value(DType type, const std::byte* from, std::int64_t index) {
  if (type == DType::f32) {
    float value{};
    std::memcpy(&value, from + 4 * index, sizeof value);
    return value;
  }
  std::uint16_t bits{};
  std::memcpy(&bits, from + 2 * index, sizeof bits);
  return type == DType::bf16 ? bf16_to_float(bits) : f16_to_float(bits);
}

/// Half a unit in the last place, relative to the value; and the distance between the smallest values.
double relative_rounding(DType type) { return type == DType::f32 ? 0x1p-24 : type == DType::bf16 ? 0x1p-8 : 0x1p-11; }
double smallest_distance(DType type) { return type == DType::f16 ? 0x1p-24 : 0x1p-126; }
double largest_value(DType type) {
  return type == DType::f32 ? 0x1.fffffep127 : type == DType::bf16 ? 0x1.fep127 : 65504.0;
}

bool is_fp8(const Side& side) { return side.type == DType::e4m3 || side.type == DType::e2m1 || is_fp8_in_call(side); }

bool is_half(const Side& side) {
  if (is_q8_in_call(side)) return false;
  return side.type == DType::bf16 || side.type == DType::f16 || side.type == DType::tf32 || is_fp8(side);
}

/// The error that the precision of sums in Hopper's tensor cores explains (docs/verifying.md). `sum` is the product of
/// a row and a column, `norms` the product of their norms.
double tensor_core_loss(const Problem& p, double sum, double norms) {
  if (!is_half(p.a) || !is_half(p.w) || norms == 0) return 0;
  if (!is_fp8(p.a) || !is_fp8(p.w))
    return std::min(std::abs(sum), 0x1p-26 * static_cast<double>(p.k) * sum * sum / norms);
  const bool ends_at_128 =
      with_float_scales(p.a.scaling) == Scaling::block_1x128 || p.a.scaling == Scaling::fp8_1x128 || is_mxfp8(p.a);
  const auto run = static_cast<double>(ends_at_128 ? std::min<std::int64_t>(p.k, 128) : p.k);
  const double folded = (is_mxfp8(p.a) ? 0x1p-14 : 0) + (is_mxfp8(p.w) ? 0x1p-13 : 0);
  return (0x1p-12 + folded) * norms + std::min(std::abs(sum), 0x1p-14 * run * sum * sum / norms);
}

/// Of K products in float, in any order (docs/verifying.md).
double accumulation(const Problem& p, double sum, double norms) {
  const double root = std::sqrt(static_cast<double>(p.k));
  const bool has_floats = (p.a.type == DType::f32 && !is_fp8_in_call(p.a)) || p.w.type == DType::f32;
  const bool in_float = has_floats || is_q8_in_call(p.a);
  return 4 * 0x1p-24 * (in_float ? root * std::abs(sum) + norms : root * norms);
}

Expected sum_of_products(const float* a, const float* w, const Problem& p) {
  double sum = 0;
  double a_squares = 0;
  double w_squares = 0;
  for (std::int64_t i = 0; i < p.k; ++i) {
    const double x = a[i];
    const double y = w[i];
    sum += x * y;
    a_squares += x * x;
    w_squares += y * y;
  }
  const double norms = std::sqrt(a_squares * w_squares);
  return {sum, accumulation(p, sum, norms) + tensor_core_loss(p, sum, norms)};
}

/// Adds an addend in the output's type. The sum is rounded once more, at worst to that type.
void add(Expected& to, double addend, const Problem& p) {
  to.value += addend;
  to.bound += 2 * relative_rounding(p.out) * std::abs(to.value);
}

/// The activation scales an error by at most 1.13, its largest slope (GELU's, near x = 1.4; SiLU's are below 1.1). tanh
/// is approximated: by GPUs to 2^-11, which GELU halves, by libraries on CPUs much better.
void apply(Activation activation, Expected& to, DeviceKind computed_on) {
  if (activation == Activation::none) return;
  if (activation != Activation::relu) {
    to.bound *= 1.13;
    to.bound += (computed_on == DeviceKind::cpu ? 0x1p-20 : 0x1p-12) * std::abs(to.value);
  }
  to.value = activate(activation, to.value);
}

/// NaN where NaN is due (of which ReLU may make 0), and infinite where the value is, or may be rounded to it.
bool is_right(const Problem& p, double got, const Expected& expected) {
  const auto [value, bound] = expected;
  if (std::isnan(value)) return std::isnan(got) || (got == 0 && p.epilogue.activation == Activation::relu);
  if (std::isinf(got))
    return std::signbit(got) == std::signbit(value) && std::abs(value) >= largest_value(p.out) - bound;
  return std::abs(got - value) <= bound;
}

/// The index of an element of C, in elements from its start.
std::int64_t place_in_c(const Problem& p, std::int64_t row, std::int64_t n) {
  const auto c = stored_c(p);
  return row / p.m * c.batch_stride + row % p.m * c.leading_dimension + n;
}

}  // namespace

std::vector<Expected> expected_product(const Problem& p, const HostOperands& operands, const Arithmetic& arithmetic) {
  const auto plain_a = to_plain(operands.a, stored_a(p), p.layout.a);
  const auto plain_w = to_plain(operands.w, stored_w(p), p.layout.w);
  const auto a = real_values(p, p.a, p.m, plain_a.data(), operands.a_scale.data());
  const auto w = real_values(p, p.w, p.n, plain_w.data(), operands.w_scale.data());
  std::vector<Expected> expected;
  for (std::int64_t row = 0; row < p.batch * p.m; ++row) {
    for (std::int64_t n = 0; n < p.n; ++n) {
      Expected element = sum_of_products(&a[row * p.k], &w[(row / p.m * p.n + n) * p.k], p);
      if (arithmetic.rounds_product) add(element, 0, p);
      if (p.epilogue.bias) add(element, output_value(p.out, operands.bias.data(), n), p);
      if (p.epilogue.residual) add(element, output_value(p.out, operands.residual.data(), place_in_c(p, row, n)), p);
      apply(p.epilogue.activation, element, arithmetic.computed_on);
      element.bound += relative_rounding(p.out) * std::abs(element.value) + smallest_distance(p.out);
      expected.push_back(element);
    }
  }
  return expected;
}

std::string first_difference(const Problem& p, std::span<const Expected> expected, std::span<const std::byte> c) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / p.n;
    const auto n = static_cast<std::int64_t>(i) % p.n;
    const double got = output_value(p.out, c.data(), place_in_c(p, row, n));
    const auto [value, bound] = expected[i];
    if (is_right(p, got, expected[i])) continue;
    return fmt::format("C[{},{},{}] is {}, not {} (bound {:.3g})", row / p.m, row % p.m, n, got, value, bound);
  }
  return {};
}

std::string first_written_gap(const Problem& p, std::span<const std::byte> c) {
  std::string why;
  for_each_gap(stored_c(p), [&](std::int64_t offset, std::int64_t bytes) {
    const auto gap = c.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
    const auto written = std::ranges::find_if(gap, [](std::byte byte) { return byte != gap_byte; });
    if (why.empty() && written != gap.end())
      why = fmt::format("byte {} of C, which is in a gap, was written", offset + (written - gap.begin()));
  });
  return why;
}

}  // namespace gemmtune::check
