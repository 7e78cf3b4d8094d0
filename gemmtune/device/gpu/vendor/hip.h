// AMD's part, in terms of no vendor: only the sources beside this header include AMD's own headers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune::gpu {

std::shared_ptr<const Driver> make_hip_driver(SharedLibrary library);
std::unique_ptr<const Compiler> make_hip_compiler(SharedLibrary library);

/// Makes a monitor that reads the files of the kernel's driver (amdgpu).
std::unique_ptr<const Monitor> make_amdgpu_monitor(const std::string& bus_id);

/// The same, from the folder of one PCI device: /sys/bus/pci/devices/0000:c1:00.0.
std::unique_ptr<const Monitor> make_amdgpu_monitor(const std::filesystem::path& folder);

}  // namespace gemmtune::gpu
