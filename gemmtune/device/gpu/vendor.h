// The vendors of GPUs, and what this build can use of each. All of them are in one build: which one serves a device is
// decided at run time, by the device's kind.
//
// A vendor's headers are needed to build its part (vendor/). A build without them lists the vendor all the same, with
// the reason for which it is left out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/shared_library.h"
#include "gemmtune/device/gpu/compiler.h"
#include "gemmtune/device/gpu/driver.h"
#include "gemmtune/device/gpu/monitor.h"

namespace gemmtune::gpu {

struct Vendor {
  DeviceKind kind{};
  std::string arch_prefix{};  // how its architectures are named: "sm" in "sm90", "gfx" in "gfx942"
  std::string left_out{};     // why this build has no part for it; "" where it has. Then the functions below are set
  std::vector<std::string> driver_libraries{};    // any of these
  std::vector<std::string> compiler_libraries{};  // any of these
  /// Throws Error{no_device} when the driver does not start, Error{unsupported} when it lacks a function.
  std::shared_ptr<const Driver> (*make_driver)(SharedLibrary library){};
  std::unique_ptr<const Compiler> (*make_compiler)(SharedLibrary library){};
  /// By the device's bus address; its readings are zeros where the machine does not tell.
  std::unique_ptr<const Monitor> (*make_monitor)(const std::string& bus_id){};
};

/// NVIDIA and AMD.
std::vector<Vendor> vendors();

/// That of a GPU. Throws Error{internal} for a kind that is none.
Vendor vendor_of(DeviceKind kind, const std::vector<Vendor>& among = vendors());

/// By the name of an architecture: "sm90a", "gfx942". Throws Error{unsupported} with the name when no vendor has such.
DeviceKind kind_of_arch(std::string_view arch);

/// Null where the machine has no such driver, or it does not start (in containers, say); why_no_driver() then says
/// which libraries were looked for.
std::shared_ptr<const Driver> find_driver(const Vendor& vendor);
std::shared_ptr<const Driver> find_driver(DeviceKind kind);
std::string why_no_driver(const Vendor& vendor);

/// As find_driver(). Throws Error{no_device} with why_no_driver() where that is null.
std::shared_ptr<const Driver> driver_of(const Vendor& vendor);

/// Null where the machine has no such compiler; why_no_compiler() then says which libraries were looked for.
std::unique_ptr<const Compiler> find_compiler(const Vendor& vendor);
std::string why_no_compiler(const Vendor& vendor);

// Defined in vendor/, with a part for the vendor or without.
Vendor nvidia();
Vendor amd();

}  // namespace gemmtune::gpu
