// Dot products of float rows, summed in double: the inner loop of the reference.
//
// A product of two floats is exact in double, and the order of the sums is fixed: the same bits come out with and
// without fused multiply-add, on every machine.
#pragma once

#include <array>
#include <cstdint>

namespace gemmtune {

double dot(const float* a, const float* w, std::int64_t count);

/// Four rows of A against one of the weights, each equal to dot's.
std::array<double, 4> dot4(const std::array<const float*, 4>& a, const float* w, std::int64_t count);

}  // namespace gemmtune
