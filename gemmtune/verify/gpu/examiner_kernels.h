// The kernels of this folder, compiled when they are first needed. Kernels that read or write elements are compiled
// once for each codec, the others once.
#pragma once

#include <map>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

/// draw.cuh, decode.cuh and judge.cuh, with the codec of a type that holds matrix elements. Throws Error{unsupported}
/// for other types.
KernelSource codec_kernels(DType type, const std::string& arch);

/// multiply.cuh and memory.cuh.
KernelSource plain_kernels(const std::string& arch);

/// Launches throw Error{unsupported} when the kernels cannot be compiled. What the driver refuses is thrown by the
/// stream.
class ExaminerKernels {
 public:
  explicit ExaminerKernels(Device& device) : device_(&device) {}

  template <typename... Arguments>
  void launch(DType type, const std::string& name, const LaunchShape& shape, const Arguments&... arguments) {
    const auto& module = module_of(codec_kernels(type, device_->info().arch));
    module.launch(device_->stream(), module.function(name), shape, arguments...);
  }

  template <typename... Arguments>
  void launch(const std::string& name, const LaunchShape& shape, const Arguments&... arguments) {
    const auto& module = module_of(plain_kernels(device_->info().arch));
    module.launch(device_->stream(), module.function(name), shape, arguments...);
  }

 private:
  const GpuModule& module_of(const KernelSource& source);

  Device* device_;
  std::map<std::string, GpuModule> modules_;  // by the source's name
};

/// As many blocks as `count` needs. Where that would be very many, each block takes a few rounds.
unsigned blocks_for(std::int64_t count, std::int64_t in_each);

}  // namespace gemmtune
