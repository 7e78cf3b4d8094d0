// Rows of one operand as floats in device memory: what the reference and the sums over rows are made of.
#pragma once

#include <cstdint>

#include "gemmtune/verify/examiner.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"

namespace gemmtune {

template <typename T>
T* as(const Buffer& buffer) {
  return reinterpret_cast<T*>(buffer.data());
}

/// Room for the rows that are held at once.
class FloatRows {
 public:
  FloatRows(Device& device, Side side, std::int64_t rows, std::int64_t k);

  std::int64_t depth() const { return depth_; }
  std::int64_t at_once() const { return at_once_; }
  const float* floats() const { return as<const float>(floats_); }

  /// The rows of a batch, and their norms from `norms` on.
  void decode(ExaminerKernels& kernels, const Buffer& values, const Buffer& scales, std::int64_t batch,
              const RowChoice& rows, double* norms) const;

 private:
  Side side_{};
  OperandShape shape_{};
  std::int64_t depth_{};
  std::int64_t at_once_{};
  Buffer floats_{};
};

}  // namespace gemmtune
