// Dot products of float rows, summed in double: the inner loop of the reference.
// The product of two floats is exact in double, and the order of the sums is fixed. Every machine therefore gets the
// same bits, with and without fused multiply-add.
#pragma once

#include <array>
#include <cstdint>

namespace gemmtune {

double dot(const float* a, const float* w, std::int64_t count);

/// Four rows of A with one row of the weights. Each result equals that of dot().
std::array<double, 4> dot4(const std::array<const float*, 4>& a, const float* w, std::int64_t count);

}  // namespace gemmtune
