// Describes a matrix in memory to Hopper's bulk tensor copies. A plain value, passed to a kernel as an argument (const
// __grid_constant__).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gemmtune {

/// Batches of rows, copied box by box. Each row is contiguous. Rows past the end are read as zeros and are not written.
struct TensorExtent {
  std::int64_t columns{};  // elements of a row
  std::int64_t rows{};
  std::int64_t batch{1};
  unsigned element_bytes{1};  // 1, 2 or 4; rows must be multiples of 16 bytes
  unsigned box_columns{};     // as many as 128 bytes hold
  unsigned box_rows{};        // at most 256
};

/// The driver's own encoding, with the 128-byte swizzle: in shared memory, 16-byte piece i of row r stands at i xor (r
/// % 8).
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

}  // namespace gemmtune
