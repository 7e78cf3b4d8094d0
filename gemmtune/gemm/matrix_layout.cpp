#include "gemmtune/gemm/matrix_layout.h"

#include <limits>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {
namespace {

struct Size {
  std::int64_t rows{};
  std::int64_t cols{};
};

/// The product, or the largest number if it overflows. Sizes come from a user's text and are checked by their product.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product{};
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

StoredMatrix stored(DType type, std::int64_t batch, Size size, const Strides& strides) {
  StoredMatrix matrix{.type = type, .batch = batch, .rows = size.rows, .cols = size.cols};
  matrix.leading_dimension = strides.leading_dimension > 0 ? strides.leading_dimension : size.cols;
  matrix.batch_stride = strides.batch > 0 ? strides.batch : saturating_product(size.rows, matrix.leading_dimension);
  return matrix;
}

Size size_of(Major major, std::int64_t outer, std::int64_t k) {
  return major == Major::k ? Size{outer, k} : Size{k, outer};
}

/// Strides with those of a contiguous matrix replaced by 0. A batch stride has no meaning if there is only one matrix.
Strides canonical(const StoredMatrix& matrix) {
  Strides strides{};
  if (matrix.leading_dimension != matrix.cols) strides.leading_dimension = matrix.leading_dimension;
  if (matrix.batch > 1 && matrix.batch_stride != saturating_product(matrix.rows, matrix.leading_dimension))
    strides.batch = matrix.batch_stride;
  return strides;
}

}  // namespace

StoredMatrix stored_a(const Problem& p) {
  return stored(p.a.type, p.batch, size_of(p.layout.a, p.m, p.k), p.layout.a_strides);
}

StoredMatrix stored_w(const Problem& p) {
  return stored(p.w.type, p.batch, size_of(p.layout.w, p.n, p.k), p.layout.w_strides);
}

StoredMatrix stored_c(const Problem& p) { return stored(p.out, p.batch, {p.m, p.n}, p.layout.c_strides); }

Layout canonical_layout(const Problem& p) {
  return {.a = p.layout.a,
          .w = p.layout.w,
          .a_strides = canonical(stored_a(p)),
          .w_strides = canonical(stored_w(p)),
          .c_strides = canonical(stored_c(p))};
}

}  // namespace gemmtune
