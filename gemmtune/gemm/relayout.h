// Converts on the host between matrices without gaps, which are drawn and from which references are computed, and
// matrices as a problem's layout stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/gemm/matrix_layout.h"

namespace gemmtune {

/// The byte that fills the gaps of a layout. It makes a NaN in each type that has one, so that reading a gap has a
/// visible effect.
inline constexpr std::byte gap_byte{0xff};

/// Whether the tensor's bytes are those of [batch, outer, inner] without gaps.
bool is_plain(const StoredMatrix& matrix, Major major);

/// Converts from [batch, outer, inner] without gaps (outer: M or N; inner: K, or N for C) to the stored form. Gaps are
/// filled with gap_byte.
std::vector<std::byte> to_stored(std::span<const std::byte> plain, const StoredMatrix& matrix, Major major);

/// The inverse of to_stored(). `stored` has matrix.bytes() bytes.
std::vector<std::byte> to_plain(std::span<const std::byte> stored, const StoredMatrix& matrix, Major major);

/// Calls `visit(offset, bytes)` for each gap between rows and between matrices, in order.
template <typename Visit>
void for_each_gap(const StoredMatrix& m, const Visit& visit) {
  const auto at = [&](std::int64_t elements) { return storage_bytes(m.type, elements); };
  for (std::int64_t b = 0; b < m.batch; ++b)
    for (std::int64_t row = 0; row < m.rows; ++row) {
      const bool ends_matrix = row + 1 == m.rows;
      if (ends_matrix && b + 1 == m.batch) return;
      const std::int64_t end = b * m.batch_stride + row * m.leading_dimension + m.cols;
      const std::int64_t next = ends_matrix ? (b + 1) * m.batch_stride : end - m.cols + m.leading_dimension;
      if (next > end) visit(at(end), at(next) - at(end));
    }
}

}  // namespace gemmtune
