// The check over all rows (verify/row_sums.h) by kernels on the GPU, which leaves to the host what it costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmtune/verify/examiner.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/row_sums.h"

namespace gemmtune {

class GpuRowSums {
 public:
  GpuRowSums(Device& device, ExaminerKernels& kernels, const Problem& problem, const VerifyPolicy& policy);

  /// `column_norms` are those of all rows of the weights, [batch][N], in device memory; they must stay there.
  void compute(const Inputs& inputs, Buffer& column_norms, std::uint64_t seed);

  /// C in device memory, without gaps, once all of it is written.
  SumVerdict judge(const std::byte* c);

 private:
  void choose_weights(std::uint64_t seed);
  void sum_columns(const Inputs& inputs, std::int64_t batch);
  void multiply_rows(const Inputs& inputs, std::int64_t batch);
  void add_addends(const Inputs& inputs);
  SummedOutput output(const std::byte* c) const;
  std::int64_t count() const { return problem_.batch * problem_.m * blocks_.count; }

  Device* device_;
  ExaminerKernels* kernels_;
  Problem problem_;
  SumRules rules_;
  ColumnBlocks blocks_;
  double* column_norms_{};          // [batch][N]
  std::vector<double> expected_{};  // [batch][M][blocks]
  Buffer weights_{};                // [batch][N]
  Buffer row_norms_{};              // [batch][M]
  Buffer bias_{};                   // [N], in the type of C
  Buffer addends_{};                // [batch][M][blocks]
  Buffer vectors_{};                // [blocks][depth], while the sums are made
  Buffer sums_{};                   // [batch][M][blocks]: of double while they are made, then of BlockSum
};

}  // namespace gemmtune
