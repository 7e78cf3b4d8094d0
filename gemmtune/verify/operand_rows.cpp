#include "gemmtune/verify/operand_rows.h"

#include "gemmtune/gemm/quantise.h"

namespace gemmtune {

OperandRows OperandRows::at(std::int64_t batch, const std::byte* values, const std::byte* scales) const {
  OperandRows rows = *this;
  rows.values_ = values + batch * rows_ * storage_bytes(side_.type, k_);
  const ScaleGrid grid = scale_grid(side_.scaling, rows_, k_);
  if (grid.count() > 0) rows.scales_ = scales + batch * grid.bytes();
  return rows;
}

void OperandRows::read(std::int64_t first, std::int64_t count, std::span<float> out) const {
  dequantise_rows(values_, scales_, rows_, k_, side_, first, count, out);
}

}  // namespace gemmtune
