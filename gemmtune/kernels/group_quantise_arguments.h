// The sizes that the kernels in group_quantise.cu get. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

/// A group is `row_block` rows × `k_block` elements that share a scale; groups at the edges are smaller.
struct GroupQuantiseSizes {
  std::int64_t rows{};
  std::int64_t k{};
  std::int64_t leading_dimension{};  // elements from one row of the input to the next
  std::int64_t row_block{};
  std::int64_t k_block{};
  std::int64_t groups{};
  std::int64_t groups_of_a_row{};
};

}  // namespace gemmtune
