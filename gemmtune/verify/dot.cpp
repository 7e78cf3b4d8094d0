#include "gemmtune/verify/dot.h"

#include <cstring>

namespace gemmtune {
namespace {

constexpr std::int64_t width = 8;

using Floats [[gnu::vector_size(width * sizeof(float))]] = float;
using Doubles [[gnu::vector_size(width * sizeof(double))]] = double;

/// Inlined into functions for different instruction sets.
template <std::size_t rows>
[[gnu::always_inline]] inline std::array<double, rows> dot_rows(const std::array<const float*, rows>& a, const float* w,
                                                                std::int64_t count) {
  Doubles sums[rows]{};
  const std::int64_t whole = count / width * width;
  for (std::int64_t i = 0; i < whole; i += width) {
    Floats narrow;
    std::memcpy(&narrow, w + i, sizeof narrow);
    const Doubles weights = __builtin_convertvector(narrow, Doubles);
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(&narrow, a[row] + i, sizeof narrow);
      sums[row] += __builtin_convertvector(narrow, Doubles) * weights;
    }
  }
  std::array<double, rows> totals{};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::int64_t i = whole; i < count; ++i) sums[row][i - whole] += static_cast<double>(a[row][i]) * w[i];
    for (std::int64_t lane = 0; lane < width; ++lane) totals[row] += sums[row][lane];
  }
  return totals;
}

using Dot4 = std::array<double, 4> (*)(const std::array<const float*, 4>&, const float*, std::int64_t);
using Dot1 = std::array<double, 1> (*)(const std::array<const float*, 1>&, const float*, std::int64_t);

struct Implementation {
  Dot4 four{};
  Dot1 one{};
};

template <std::size_t rows>
std::array<double, rows> dot_anywhere(const std::array<const float*, rows>& a, const float* w, std::int64_t count) {
  return dot_rows<rows>(a, w, count);
}

#if defined(__x86_64__)
template <std::size_t rows>
[[gnu::target("avx2,fma")]] std::array<double, rows> dot_avx2(const std::array<const float*, rows>& a, const float* w,
                                                              std::int64_t count) {
  return dot_rows<rows>(a, w, count);
}

Implementation best() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {dot_avx2<4>, dot_avx2<1>};
  return {dot_anywhere<4>, dot_anywhere<1>};
}
#else
Implementation best() { return {dot_anywhere<4>, dot_anywhere<1>}; }
#endif

const Implementation implementation = best();

}  // namespace

double dot(const float* a, const float* w, std::int64_t count) { return implementation.one({a}, w, count)[0]; }

std::array<double, 4> dot4(const std::array<const float*, 4>& a, const float* w, std::int64_t count) {
  return implementation.four(a, w, count);
}

}  // namespace gemmtune
