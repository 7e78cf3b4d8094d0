// What Hopper's bulk tensor copies are told of a matrix in memory: a plain value that goes to a kernel as an argument
// (const __grid_constant__).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gemmtune {

/// Batches of rows, each row contiguous, copied box by box: rows past the end are read as zeros and not written.
struct TensorExtent {
  std::int64_t columns{};  // elements of a row
  std::int64_t rows{};
  std::int64_t batch{1};
  unsigned element_bytes{1};  // 1, 2 or 4; rows must be multiples of 16 bytes
  unsigned box_columns{};     // 128 bytes of them
  unsigned box_rows{};        // at most 256
};

/// The driver's own encoding, with the 128-byte swizzle: in shared memory the 16-byte pieces of row r stand
/// exclusive-or r % 8.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

}  // namespace gemmtune
