// One operand of one batch, read row by row as floats: what references are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

class OperandRows {
 public:
  OperandRows(Side side, std::int64_t rows, std::int64_t k) : side_(side), rows_(rows), k_(k) {}

  /// Selects the batch of a tensor's values and scales, which have no gaps.
  OperandRows at(std::int64_t batch, const std::byte* values, const std::byte* scales) const;

  /// `out` holds count · k floats.
  void read(std::int64_t first, std::int64_t count, std::span<float> out) const;

 private:
  Side side_{};
  std::int64_t rows_{};
  std::int64_t k_{};
  const std::byte* values_{};
  const std::byte* scales_{};
};

}  // namespace gemmtune
