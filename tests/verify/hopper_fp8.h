// The FP8 tensor cores of Hopper as a model, for tests: what an element of C comes out as before it is rounded.
//
// Source: MMA-Sim (arXiv 2511.10909). A step takes 32 products. They and the accumulator are aligned to the largest
// exponent among them (a product's is the sum of its factors'), cut off 13 bits below it, and added exactly; the sum is
// cut to 13 bits after its leading one. Cutting is towards zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace gemmtune::hopper_fp8 {

inline constexpr int kept_bits = 13;
inline constexpr std::int64_t products_of_a_step = 32;

/// The exponent field of a factor: E4M3's subnormals have that of the smallest normal number.
inline int exponent(float value) { return std::max(std::ilogb(value), -6); }

inline double cut(double value, int lowest_bit) {
  return std::ldexp(std::trunc(std::ldexp(value, -lowest_bit)), lowest_bit);
}

inline double step(double sum, std::span<const float> a, std::span<const float> w) {
  int largest = sum != 0 ? std::ilogb(sum) : -1000;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && w[i] != 0) largest = std::max(largest, exponent(a[i]) + exponent(w[i]));
  double total = cut(sum, largest - kept_bits);
  for (std::size_t i = 0; i < a.size(); ++i) total += cut(static_cast<double>(a[i]) * w[i], largest - kept_bits);
  return total != 0 ? cut(total, std::ilogb(total) - kept_bits) : 0;
}

/// One run of the tensor cores over these stored values, the accumulator kept in them to the end.
inline double accumulate(std::span<const float> a, std::span<const float> w) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); k += products_of_a_step) {
    const auto count = std::min<std::size_t>(products_of_a_step, a.size() - k);
    sum = step(sum, a.subspan(k, count), w.subspan(k, count));
  }
  return sum;
}

}  // namespace gemmtune::hopper_fp8
