#include "tests/families/check/reference_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune::check {
namespace {

/// [batch][rows][k].
std::vector<float> real_values(const Problem& p, Side side, std::int64_t rows, const std::byte* values,
                               const std::byte* scales) {
  const ScaleGrid grid = scale_grid(side.scaling, rows, p.k);
  std::vector<float> out(static_cast<std::size_t>(p.batch * rows * p.k));
  for (std::int64_t b = 0; b < p.batch; ++b) {
    dequantise_rows(values + b * rows * storage_bytes(side.type, p.k),
                    grid.count() > 0 ? scales + b * storage_bytes(grid.type, grid.count()) : nullptr, rows, p.k, side,
                    0, rows, std::span(out).subspan(b * rows * p.k, rows * p.k));
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

/// Half a unit in the last place, relative; and the spacing of the smallest values.
double relative_rounding(DType type) { return type == DType::f32 ? 0x1p-24 : type == DType::bf16 ? 0x1p-8 : 0x1p-11; }

bool is_fp8(const Side& side) { return side.type == DType::e4m3 || side.type == DType::e2m1; }

bool is_half(const Side& side) {
  return side.type == DType::bf16 || side.type == DType::f16 || side.type == DType::tf32 || is_fp8(side);
}

/// What the bits that Hopper's tensor cores keep explain (docs/verifying.md): a row and a column of norms `norms` that
/// multiply to `sum`.
double tensor_core_loss(const Problem& p, double sum, double norms) {
  if (!is_half(p.a) || !is_half(p.w) || norms == 0) return 0;
  if (!is_fp8(p.a) || !is_fp8(p.w))
    return std::min(std::abs(sum), 0x1p-26 * static_cast<double>(p.k) * sum * sum / norms);
  const bool ends_at_128 = p.a.scaling == Scaling::block_1x128;
  const auto run = static_cast<double>(ends_at_128 ? std::min<std::int64_t>(p.k, 128) : p.k);
  return 0x1p-12 * norms + std::min(std::abs(sum), 0x1p-14 * run * sum * sum / norms);
}

Expected expected_element(const float* a, const float* w, const Problem& p) {
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
  const double accumulation =
      4 * 0x1p-24 * std::sqrt(static_cast<double>(p.k)) * norms + tensor_core_loss(p, sum, norms);
  return {sum, relative_rounding(p.out) * std::abs(sum) + accumulation + 0x1p-24};
}

}  // namespace

std::vector<Expected> expected_product(const Problem& p, const HostOperands& operands) {
  const auto a = real_values(p, p.a, p.m, operands.a.data(), operands.a_scale.data());
  const auto w = real_values(p, p.w, p.n, operands.w.data(), operands.w_scale.data());
  std::vector<Expected> expected;
  for (std::int64_t row = 0; row < p.batch * p.m; ++row) {
    for (std::int64_t n = 0; n < p.n; ++n) {
      Expected element = expected_element(&a[row * p.k], &w[(row / p.m * p.n + n) * p.k], p);
      if (p.epilogue.bias) {
        element.value += output_value(p.out, operands.bias.data(), n);
        element.bound += 2 * relative_rounding(p.out) * std::abs(element.value);
      }
      expected.push_back(element);
    }
  }
  return expected;
}

std::string first_difference(const Problem& p, std::span<const Expected> expected, std::span<const std::byte> c) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double got = output_value(p.out, c.data(), static_cast<std::int64_t>(i));
    const auto [value, bound] = expected[i];
    const bool right = std::isnan(value) ? std::isnan(got) : std::abs(got - value) <= bound;
    if (right) continue;
    const auto row = static_cast<std::int64_t>(i) / p.n;
    return fmt::format("C[{},{},{}] is {}, not {} (bound {:.3g})", row / p.m, row % p.m,
                       static_cast<std::int64_t>(i) % p.n, got, value, bound);
  }
  return {};
}

}  // namespace gemmtune::check
