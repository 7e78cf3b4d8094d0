// The run-time compiler of a vendor's kernels. vendor/ implements it. It needs no GPU.
//
// It does not cache what it compiled: see kernel_compiler.h.
#pragma once

#include <string>

#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune::gpu {

class Compiler {
 public:
  Compiler() = default;
  virtual ~Compiler() = default;
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// Name and version of the compiler: "NVRTC 13.0".
  virtual std::string version() const = 0;

  /// Machine code for the source's arch, and what the compiler says of it. Throws Error{unsupported} with the
  /// compiler's log.
  virtual std::string compile(const KernelSource& source, std::string& remarks) const = 0;
};

}  // namespace gemmtune::gpu
