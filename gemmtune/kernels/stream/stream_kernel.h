// A kernel that streams W through shared memory (stream/block.cuh), for one problem: what it is compiled with, and its
// launch. For the families that have such kernels.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/stream/arguments.h"
#include "gemmtune/kernels/stream/packer.h"
#include "gemmtune/kernels/stream/stream_tile.h"
#include "gemmtune/kernels/wgmma_text.h"

namespace gemmtune {

/// `source` with the instruction for the operands and with the macros of stream/block.cuh and output_element.cuh, and
/// STREAM_BIAS. Sizes do not matter.
KernelSource stream_source(KernelSource source, WgmmaOperands operands, const Problem& problem, const StreamTile& tile,
                           const StreamNeeds& needs);

class StreamKernel {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log. `name` is the kernel's.
  StreamKernel(const Problem& problem, const StreamTile& tile, const StreamNeeds& needs, const KernelSource& source,
               const std::string& name);

  /// Only for problems with packed weights that are not MXFP8, which is packed as it is folded.
  const std::optional<StreamPacker>& packer() const { return packer_; }

  /// The part of a kernel's arguments that all have.
  StreamArguments arguments(const Operands& operands) const;

  /// The kernel starts early (kernels/pdl.cuh). What it reads before the kernel that precedes it on the stream has
  /// ended are packed weights only. The kernel's parameters are the tensor maps of A and W, and `arguments`.
  template <typename Arguments>
  void launch(const Operands& operands, const Arguments& arguments, Stream& stream) const noexcept {
    try {
      module_.launch(stream, multiply_, shape_, map_of_a(operands), map_of_w(operands), arguments);
    } catch (const std::exception& error) {
      stream.report_failure(error.what());
    }
  }

 private:
  TensorMap map_of_a(const Operands& operands) const;
  TensorMap map_of_w(const Operands& operands) const;

  Problem problem_{};
  StreamTile tile_{};
  LaunchShape shape_{};
  std::optional<StreamPacker> packer_;
  GpuModule module_;
  GpuFunction multiply_{};
};

}  // namespace gemmtune
