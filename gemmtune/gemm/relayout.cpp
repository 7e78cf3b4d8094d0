#include "gemmtune/gemm/relayout.h"

#include <cstring>

#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"

namespace gemmtune {
namespace {

/// Where contiguous pieces are, in the plain form and in the stored form.
struct Mapping {
  const StoredMatrix& matrix;
  Major major{};

  std::int64_t bytes(std::int64_t elements) const { return storage_bytes(matrix.type, elements); }
  std::int64_t plain_row(std::int64_t b, std::int64_t row) const {
    return bytes((b * matrix.rows + row) * matrix.cols);
  }
  std::int64_t stored_row(std::int64_t b, std::int64_t row) const {
    return bytes(b * matrix.batch_stride + row * matrix.leading_dimension);
  }

  /// For MN-major operands, whose stored column is the plain row.
  std::int64_t plain_element(std::int64_t b, std::int64_t row, std::int64_t col) const {
    return bytes((b * matrix.cols + col) * matrix.rows + row);
  }
};

/// Calls `copy(plain offset, stored offset, bytes)` for each piece. Rows of the stored form are spread over all
/// threads.
template <typename Copy>
void for_each_piece(const Mapping& map, const Copy& copy) {
  const auto& m = map.matrix;
  parallel_pieces(m.batch * m.rows, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / m.rows;
      const std::int64_t row = i % m.rows;
      if (map.major == Major::k) {
        copy(map.plain_row(b, row), map.stored_row(b, row), map.bytes(m.cols));
        continue;
      }
      const std::int64_t size = map.bytes(1);
      for (std::int64_t col = 0; col < m.cols; ++col)
        copy(map.plain_element(b, row, col), map.stored_row(b, row) + col * size, size);
    }
  });
}

void check_size(std::span<const std::byte> bytes, std::int64_t expected) {
  if (static_cast<std::int64_t>(bytes.size()) != expected)
    fail(ErrorCode::internal, "a matrix of {} bytes has {}", expected, bytes.size());
}

std::int64_t plain_bytes(const StoredMatrix& m) { return storage_bytes(m.type, m.batch * m.rows * m.cols); }

}  // namespace

bool is_plain(const StoredMatrix& matrix, Major major) { return major == Major::k && matrix.is_contiguous(); }

std::vector<std::byte> to_stored(std::span<const std::byte> plain, const StoredMatrix& matrix, Major major) {
  check_size(plain, plain_bytes(matrix));
  std::vector<std::byte> stored(matrix.bytes(), gap_byte);
  for_each_piece({matrix, major}, [&](std::int64_t from, std::int64_t to, std::int64_t bytes) {
    std::memcpy(stored.data() + to, plain.data() + from, bytes);
  });
  return stored;
}

std::vector<std::byte> to_plain(std::span<const std::byte> stored, const StoredMatrix& matrix, Major major) {
  check_size(stored, matrix.bytes());
  std::vector<std::byte> plain(plain_bytes(matrix));
  for_each_piece({matrix, major}, [&](std::int64_t to, std::int64_t from, std::int64_t bytes) {
    std::memcpy(plain.data() + to, stored.data() + from, bytes);
  });
  return plain;
}

}  // namespace gemmtune
