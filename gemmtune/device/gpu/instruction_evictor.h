// Empties the multiprocessors' instruction caches. The next launch finds them as it would after another kernel.
#pragma once

#include <vector>

#include "gemmtune/device/gpu/gpu_stream.h"

namespace gemmtune {

class InstructionEvictor {
 public:
  /// Compiles the kernels. This takes the driver a second or two, unless it has cached them. Throws Error{unsupported}
  /// on GPUs without such code.
  explicit InstructionEvictor(GpuStream& stream);
  ~InstructionEvictor();
  InstructionEvictor(const InstructionEvictor&) = delete;
  InstructionEvictor& operator=(const InstructionEvictor&) = delete;

  /// Runs in the stream's order and takes the device about a tenth of a millisecond. Later launches begin after it has
  /// ended.
  void evict() const;

 private:
  GpuStream* stream_;
  gpu::ModuleHandle module_;
  std::vector<gpu::FunctionHandle> kernels_;
  unsigned blocks_;
};

}  // namespace gemmtune
