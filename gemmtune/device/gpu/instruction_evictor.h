// Empties the multiprocessors' instruction caches of whatever ran before: what is launched next finds them as it would
// after another kernel.
#pragma once

#include <vector>

#include "gemmtune/device/gpu/gpu_stream.h"

namespace gemmtune {

class InstructionEvictor {
 public:
  /// Compiles its kernels, which takes the driver a second or two where it has not kept them. Throws
  /// Error{unsupported} on GPUs that it has no code for.
  explicit InstructionEvictor(GpuStream& stream);
  ~InstructionEvictor();
  InstructionEvictor(const InstructionEvictor&) = delete;
  InstructionEvictor& operator=(const InstructionEvictor&) = delete;

  /// In the stream's order; takes the device about a tenth of a millisecond. What is launched next begins when it is
  /// over.
  void evict() const;

 private:
  GpuStream* stream_;
  gpu::ModuleHandle module_;
  std::vector<gpu::FunctionHandle> kernels_;
  unsigned blocks_;
};

}  // namespace gemmtune
