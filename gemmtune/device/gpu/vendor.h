// The GPU vendors, and what this build can use of each. One build contains all of them; the kind of a device decides at
// run time which one serves it.
//
// Building a vendor's part (vendor/) requires the vendor's headers. A build without them still lists the vendor, with
// the reason why its part is left out.
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
  std::string arch_prefix{};  // the prefix of its architectures: "sm" in "sm90", "gfx" in "gfx942"
  std::string left_out{};     // why this build lacks this part; "" if it has it and sets the functions below
  std::vector<std::string> driver_libraries{};    // any of these will do
  std::vector<std::string> compiler_libraries{};  // any of these will do
  /// Throws Error{no_device} if the driver does not start, and Error{unsupported} if it lacks a function.
  std::shared_ptr<const Driver> (*make_driver)(SharedLibrary library){};
  std::unique_ptr<const Compiler> (*make_compiler)(SharedLibrary library){};
  /// Makes the monitor of the device at this bus address. Its readings are zero if the machine does not report them.
  std::unique_ptr<const Monitor> (*make_monitor)(const std::string& bus_id){};
};

/// All vendors: NVIDIA and AMD.
std::vector<Vendor> vendors();

/// The vendor of such GPUs. Throws Error{internal} for a kind of device that is no GPU.
Vendor vendor_of(DeviceKind kind, const std::vector<Vendor>& among = vendors());

/// The kind of device that has this architecture: "sm90a", "gfx942". Throws Error{unsupported} with the name if no
/// vendor has it.
DeviceKind kind_of_arch(std::string_view arch);

/// Null if the machine has no such driver, or if it does not start (in a container, for example). why_no_driver() then
/// lists the libraries that were tried.
std::shared_ptr<const Driver> find_driver(const Vendor& vendor);
std::shared_ptr<const Driver> find_driver(DeviceKind kind);
std::string why_no_driver(const Vendor& vendor);

/// The same as find_driver(), but throws Error{no_device} with why_no_driver() instead of returning null.
std::shared_ptr<const Driver> driver_of(const Vendor& vendor);

/// Null if the machine has no such compiler. why_no_compiler() then lists the libraries that were tried.
std::unique_ptr<const Compiler> find_compiler(const Vendor& vendor);
std::string why_no_compiler(const Vendor& vendor);

// Defined in vendor/, either with the vendor's part or without it.
Vendor nvidia();
Vendor amd();

}  // namespace gemmtune::gpu
