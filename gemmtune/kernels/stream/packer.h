// Weights in the layout that kernels that stream W read when weights may be packed ahead of the calls: bricks of 64
// rows × 128 bytes of K (stream/arguments.h). The values stay as they are.
#pragma once

#include <cstddef>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The source that a packer compiles. It is the same for all sizes and types.
KernelSource stream_pack_source();

class StreamPacker {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log.
  explicit StreamPacker(const Problem& problem);

  /// Of the packed weights: those of W, with N rounded up to a multiple of 64 and K to 128 bytes.
  std::size_t bytes() const;

  /// "e4m3 bricks of 64x128".
  std::string layout_name() const;

  void pack(const std::byte* w, std::byte* packed, Stream& stream) const;

 private:
  Problem problem_{};
  GpuModule module_;
  GpuFunction pack_{};
};

}  // namespace gemmtune
