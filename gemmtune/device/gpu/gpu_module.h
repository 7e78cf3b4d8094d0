// Compiled kernels on a GPU, ready to be launched: what families and verification see of run-time compilation.
//
// Not: compiling (kernel_compiler.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/kernel_code.h"
#include "gemmtune/device/gpu/launch_shape.h"
#include "gemmtune/device/gpu/tensor_map.h"

namespace gemmtune {
namespace gpu {
class Driver;
}

/// A kernel of a module, valid as long as the module.
enum class GpuFunction : std::uintptr_t {};

/// Machine code loaded for the device that the calling thread has opened; unloaded when it goes.
class GpuModule {
 public:
  /// From what compile_kernel() returns. Throws Error{no_device} where the vendor's driver is not there,
  /// Error{unsupported} when the code does not fit the device.
  explicit GpuModule(const KernelCode& code);

  /// The same, by a driver that is there. Throws Error{unsupported} when the code is for another vendor's GPUs.
  GpuModule(const KernelCode& code, std::shared_ptr<const gpu::Driver> driver);
  ~GpuModule();
  GpuModule(GpuModule&&) noexcept;
  GpuModule& operator=(GpuModule&&) noexcept;

  /// The extern "C" kernel of this name, which may be launched with up to `shared_bytes` of dynamic shared memory.
  GpuFunction function(const std::string& name, unsigned shared_bytes = 0) const;

  /// For kernels that copy tensors with TMA. Cheap, and made by the host alone. Throws Error{unsupported} for an
  /// address that is not aligned to 16 bytes, for rows that are not, and on GPUs without TMA.
  TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const;

  /// Arguments go by value and must have the very types that the kernel declares (a literal 1 is an int, not a long
  /// long). A launch that the driver refuses, or onto the stream of another vendor's device, is reported to the stream;
  /// the stream's next synchronize() throws it.
  template <typename... Arguments>
  void launch(Stream& stream, GpuFunction function, const LaunchShape& shape,
              const Arguments&... arguments) const noexcept {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...), "kernels take plain values");
    const std::array<const std::byte*, sizeof...(arguments)> addresses{
        reinterpret_cast<const std::byte*>(std::addressof(arguments))...};
    launch_addresses(stream, function, shape, addresses);
  }

 private:
  struct Loaded;

  void launch_addresses(Stream& stream, GpuFunction function, const LaunchShape& shape,
                        std::span<const std::byte* const> addresses) const noexcept;

  std::unique_ptr<Loaded> loaded_;
};

}  // namespace gemmtune
