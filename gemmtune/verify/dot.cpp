#include "gemmtune/verify/dot.h"

#include <cstring>

namespace gemmtune {
namespace {

/// Each dot product has this many partial sums on every machine: element i goes to sum i % width.
constexpr std::int64_t width = 8;

/// How many numbers a register of an instruction set holds.
template <std::int64_t lanes>
struct Vector {
  using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
  using Doubles [[gnu::vector_size(lanes * sizeof(double))]] = double;
};

/// Inlined into functions for different instruction sets.
template <std::int64_t lanes, std::size_t rows>
[[gnu::always_inline]] inline std::array<double, rows> dot_rows(const std::array<const float*, rows>& a, const float* w,
                                                                std::int64_t count) {
  using Floats = typename Vector<lanes>::Floats;
  using Doubles = typename Vector<lanes>::Doubles;
  Doubles sums[rows][width / lanes]{};
  const std::int64_t whole = count / width * width;
  for (std::int64_t i = 0; i < whole; i += width) {
    for (std::int64_t part = 0; part < width / lanes; ++part) {
      Floats narrow;
      std::memcpy(&narrow, w + i + part * lanes, sizeof narrow);
      const Doubles weights = __builtin_convertvector(narrow, Doubles);
      for (std::size_t row = 0; row < rows; ++row) {
        std::memcpy(&narrow, a[row] + i + part * lanes, sizeof narrow);
        sums[row][part] += __builtin_convertvector(narrow, Doubles) * weights;
      }
    }
  }
  std::array<double, rows> totals{};
  for (std::size_t row = 0; row < rows; ++row) {
    double partial[width];
    std::memcpy(partial, sums[row], sizeof partial);
    for (std::int64_t i = whole; i < count; ++i) partial[i - whole] += static_cast<double>(a[row][i]) * w[i];
    for (const double sum : partial) totals[row] += sum;
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
  return dot_rows<2, rows>(a, w, count);
}

#if defined(__x86_64__)
template <std::size_t rows>
[[gnu::target("avx2,fma")]] std::array<double, rows> dot_avx2(const std::array<const float*, rows>& a, const float* w,
                                                              std::int64_t count) {
  return dot_rows<4, rows>(a, w, count);
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
