// Operands drawn and quantised on the GPU, and how its kernels are told of an operand.
#pragma once

#include "gemmtune/verify/examiner.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"

namespace gemmtune {

/// Whether these kernels know the scales of both operands. They know neither the scales of two levels that NVFP4 has,
/// nor f16 scales: the host draws and judges such problems.
bool has_known_scales(const Problem& problem);

/// `batch` times rows × K of this side, whose scales are known.
OperandShape operand_shape(Side side, std::int64_t batch, std::int64_t rows, std::int64_t k);

StoredOperand stored_at(std::byte* values, std::byte* scales);

class GpuDraw {
 public:
  GpuDraw(Device& device, ExaminerKernels& kernels) : device_(&device), kernels_(&kernels) {}

  /// As Examiner::draw.
  void draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to);

 private:
  struct Target {
    DType type{};
    OperandShape shape{};
    StoredOperand to{};
  };

  /// Which elements become which value.
  struct Spoiling {
    std::int64_t first{};
    std::int64_t count{};
    float value{};
  };

  void spoil_elements(const OperandDraw& draw, const Target& target, const Spoiling& spoiling);
  void draw_operand(const OperandDraw& draw, const Target& target);
  void draw_groups(const OperandDraw& draw, const Target& target);
  void draw_elements(const OperandDraw& draw, const Target& target);

  Device* device_;
  ExaminerKernels* kernels_;
};

}  // namespace gemmtune
