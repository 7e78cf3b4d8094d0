// Weights of 4 bits in the layouts that w4_multiply.cu reads, for any number of rows of A. They stay 4-bit and are
// rearranged once (w4_pack.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Whether A is in E4M3, and not in bf16. Each has a layout of its own.
bool is_w4_fp8(const Problem& problem);

/// How many weights along K share a scale: 32 (MXFP4) or 16 (NVFP4).
std::int64_t w4_scale_k(const Problem& problem);

/// The source that a packer compiles. It is the same for all sizes.
KernelSource w4_pack_source(const Problem& problem);

class W4Packer {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log.
  explicit W4Packer(const Problem& problem);

  std::size_t bytes() const;
  /// The offset of the f32 bases of W's rows, which follow the bricks.
  std::size_t bases() const;

  /// A text that is equal for packers whose packed weights have one layout, whatever the sizes.
  std::string layout_name() const;

  /// Packs the weights and waits for the stream. Throws Error{unsupported} if the exponents of a row of MXFP4 spread
  /// too far for A's type.
  void pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const;

 private:
  Problem problem_{};
  GpuModule module_;
  GpuFunction pack_{};
};

}  // namespace gemmtune
