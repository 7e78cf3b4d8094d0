// The tensor cores of Hopper as a model, for tests: what an element of C comes out as before it is rounded.
//
// Source: MMA-Sim (arXiv 2511.10909). A step takes some products. They and the accumulator are aligned to the largest
// exponent among them (a product's is the sum of its factors'), cut off some bits below it, and added exactly; the sum
// is cut too. Cutting is towards zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune::hopper {

struct TensorCore {
  std::size_t products_of_a_step{};
  int aligned_bits{};       // kept of the terms, below the largest one's leading bit
  int kept_bits{};          // of the sum
  int smallest_exponent{};  // of a factor: subnormals have that of the smallest normal number
};

/// E2M1 is multiplied as E4M3.
inline TensorCore tensor_core_of(DType type) {
  if (type == DType::f16) return {16, 25, 23, -14};
  if (type == DType::bf16) return {16, 25, 23, -126};
  if (type == DType::tf32) return {8, 25, 23, -126};
  return {32, 13, 13, -6};
}

inline double cut(double value, int lowest_bit) {
  return std::ldexp(std::trunc(std::ldexp(value, -lowest_bit)), lowest_bit);
}

inline double step(const TensorCore& core, double sum, std::span<const float> a, std::span<const float> w) {
  const auto exponent = [&](float value) { return std::max(std::ilogb(value), core.smallest_exponent); };
  int largest = sum != 0 ? std::ilogb(sum) : -1000;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && w[i] != 0) largest = std::max(largest, exponent(a[i]) + exponent(w[i]));
  const auto aligned = [&](double term) { return cut(term, largest - core.aligned_bits); };
  double total = aligned(sum);
  for (std::size_t i = 0; i < a.size(); ++i) total += aligned(static_cast<double>(a[i]) * w[i]);
  return total != 0 && std::isfinite(total) ? cut(total, std::ilogb(total) - core.kept_bits) : total;
}

/// One run of the tensor cores over these stored values, the accumulator kept in them to the end.
inline double accumulate(const TensorCore& core, std::span<const float> a, std::span<const float> w) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); k += core.products_of_a_step) {
    const auto count = std::min(core.products_of_a_step, a.size() - k);
    sum = step(core, sum, a.subspan(k, count), w.subspan(k, count));
  }
  return sum;
}

}  // namespace gemmtune::hopper
