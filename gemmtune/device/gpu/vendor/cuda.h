// NVIDIA's part, in terms of no vendor: only the sources beside this header include NVIDIA's own headers.
#pragma once

#include <memory>
#include <string>

#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune::gpu {

std::shared_ptr<const Driver> make_cuda_driver(SharedLibrary library);
std::unique_ptr<const Compiler> make_cuda_compiler(SharedLibrary library);

/// Makes a monitor that uses the management library (NVML).
std::unique_ptr<const Monitor> make_nvml_monitor(const std::string& bus_id);

}  // namespace gemmtune::gpu
