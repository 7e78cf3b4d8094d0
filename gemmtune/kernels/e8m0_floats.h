// Scales in E8M0 for blocks of 128 as floats, on the GPU: for kernels for FP8 that take f32 scales. They are a
// hundredth of the operands' bytes, so that one small kernel in front of the product converts those of both sides in
// each call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Offsets of the parts of a buffer of `bytes` bytes. Each is a multiple of 256.
struct FloatScalesLayout {
  std::size_t a{};
  std::size_t w{};
  std::size_t bytes{};
};

/// What it compiles. It is the same for all problems.
KernelSource e8m0_floats_source();

class E8m0Floats {
 public:
  /// Compiles. Of a side that has no E8M0 scales for blocks of 128, nothing is converted. Throws Error{unsupported}
  /// with the compiler's log.
  explicit E8m0Floats(const Problem& problem);

  FloatScalesLayout layout() const;

  /// The kernel starts early (kernels/pdl.cuh).
  void launch(const std::byte* a_scale, const std::byte* w_scale, std::byte* floats, Stream& stream) const noexcept;

 private:
  std::int64_t a_count_{};
  std::int64_t w_count_{};
  GpuModule module_;
  GpuFunction convert_{};
};

}  // namespace gemmtune
