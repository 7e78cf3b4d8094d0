// Computes the reference on the GPU, in double from the stored operands, and keeps it there.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmtune/verify/examiner.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"

namespace gemmtune {

/// A Reference (verify/reference.h) in device memory.
struct GpuReference {
  std::vector<std::int64_t> rows{};
  Buffer values{};
  Buffer row_norms{};
  Buffer column_norms{};
};

/// The policy's budget is for a host. A GPU affords 250 times as much, as long as the values fit in 1 GiB; and 1000
/// times as much for a problem with an activation, where only the rows that are compared are checked.
VerifyPolicy gpu_policy(const VerifyPolicy& policy, const Problem& problem);

class GpuReferenceMaker {
 public:
  GpuReferenceMaker(Device& device, ExaminerKernels& kernels) : device_(&device), kernels_(&kernels) {}

  /// For these rows of C, which must be ascending.
  GpuReference make(const Problem& problem, const Inputs& inputs, std::vector<std::int64_t> rows) const;

 private:
  Device* device_;
  ExaminerKernels* kernels_;
};

}  // namespace gemmtune
