// The kernels of this folder, compiled when they are first needed: once for each codec.
#pragma once

#include <map>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

/// All kernels with the codec of a type that holds matrix elements; throws Error{unsupported} for other types.
KernelSource examiner_source(DType type, const std::string& arch);

class ExaminerKernels {
 public:
  explicit ExaminerKernels(Device& device) : device_(&device) {}

  /// Of the codec of `type`. Throws Error{unsupported} when the kernels cannot be compiled; a refused launch is thrown
  /// by the stream.
  template <typename... Arguments>
  void launch(DType type, const std::string& name, const LaunchShape& shape, const Arguments&... arguments) {
    const auto& module = module_of(type);
    module.launch(device_->stream(), module.function(name), shape, arguments...);
  }

 private:
  const GpuModule& module_of(DType type);

  Device* device_;
  std::map<DType, GpuModule> modules_;
};

/// As many blocks as `count` needs, with a few rounds for each where there are very many.
unsigned blocks_for(std::int64_t count, std::int64_t in_each);

}  // namespace gemmtune
