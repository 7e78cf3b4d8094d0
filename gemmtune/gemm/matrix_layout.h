// How the matrices of a problem are stored: which dimension is contiguous, and how far apart rows and batches are. A
// plain value; the default is what a torch Linear has, everything row-major and without gaps. AITER's shuffled layouts
// are in gemm/shuffle.h.
#pragma once

#include <compare>
#include <cstdint>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

struct Problem;

/// Which dimension of an operand is contiguous in memory (CUTLASS's K-major and MN-major).
enum class Major : std::uint8_t {
  k,   // A is stored [M, K], the weights [N, K]
  mn,  // A is stored [K, M], the weights [K, N]
};

/// Distances between the parts of a tensor, in elements. 0 stands for "without gaps".
struct Strides {
  std::int64_t leading_dimension{};  // from one stored row to the next
  std::int64_t batch{};              // from one matrix of the batch to the next

  auto operator<=>(const Strides&) const = default;
};

/// C is always row-major: a column-major C is the transposed problem, in which A and the weights change places.
struct Layout {
  Major a{Major::k};
  Major w{Major::k};
  Strides a_strides{};
  Strides w_strides{};
  Strides c_strides{};  // also of the residual

  auto operator<=>(const Layout&) const = default;
};

/// One tensor as it is stored, with all distances computed: `batch` matrices of `rows` × `cols`, with contiguous rows.
struct StoredMatrix {
  DType type{};
  std::int64_t batch{1};
  std::int64_t rows{};
  std::int64_t cols{};
  std::int64_t leading_dimension{};  // elements; at least `cols`
  std::int64_t batch_stride{};       // elements

  /// The number of elements from the first of the first row to the last of the last row.
  std::int64_t elements() const { return (batch - 1) * batch_stride + (rows - 1) * leading_dimension + cols; }
  std::int64_t bytes() const { return storage_bytes(type, elements()); }

  bool is_contiguous() const { return leading_dimension == cols && (batch == 1 || batch_stride == rows * cols); }
  bool operator==(const StoredMatrix&) const = default;
};

StoredMatrix stored_a(const Problem& problem);
StoredMatrix stored_w(const Problem& problem);
StoredMatrix stored_c(const Problem& problem);

/// The problem's layout, in which a distance that equals a contiguous tensor's is replaced by 0, so that equal layouts
/// compare equal.
Layout canonical_layout(const Problem& problem);

}  // namespace gemmtune
