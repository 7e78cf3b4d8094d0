// Avoids double rounding when a value is converted to a short format through longer ones: intermediate results are
// rounded to odd, so that they show the last rounding on which side of a tie the exact value is (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums", 2008).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune::cpu_tile {

/// a + b in double, rounded to odd.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool grows = (error > 0) == (sum > 0);
  return std::bit_cast<double>(grows ? bits + 1 : bits - 1);
}

/// The double as a float, rounded to odd.
inline float float_to_odd(double value) {
  const auto rounded = static_cast<float>(value);
  const auto back = static_cast<double>(rounded);
  const auto bits = std::bit_cast<std::uint32_t>(rounded);
  if (back == value || std::isnan(value) || (bits & 1) != 0) return rounded;
  if (rounded == 0) return std::copysign(std::bit_cast<float>(std::uint32_t{1}), static_cast<float>(value));
  return std::bit_cast<float>(std::abs(value) > std::abs(back) ? bits + 1 : bits - 1);
}

/// Element `index` of a tensor of type bf16, fp16 or f32.
inline float load_as_float(const std::byte* tensor, DType type, std::int64_t index) {
  if (type == DType::f32) {
    float value{};
    std::memcpy(&value, tensor + index * 4, 4);
    return value;
  }
  std::uint16_t bits{};
  std::memcpy(&bits, tensor + index * 2, 2);
  return type == DType::bf16 ? bf16_to_float(bits) : f16_to_float(bits);
}

/// Stores `value` as this type, rounded to nearest even in one step.
inline void store_rounded(double value, std::byte* tensor, DType type, std::int64_t index) {
  if (type == DType::f32) {
    const auto rounded = static_cast<float>(value);
    std::memcpy(tensor + index * 4, &rounded, 4);
    return;
  }
  const float odd = float_to_odd(value);
  const std::uint16_t bits = type == DType::bf16 ? float_to_bf16(odd) : float_to_f16(odd);
  std::memcpy(tensor + index * 2, &bits, 2);
}

}  // namespace gemmtune::cpu_tile
