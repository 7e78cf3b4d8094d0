// Compiled kernels on a GPU, ready to be launched, for families and verification.
//
// Compilation is in kernel_compiler.h.
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

/// Machine code on the device that the calling thread has opened. It is unloaded when this object is destroyed.
class GpuModule {
 public:
  /// Loads what compile_kernel() returned. Throws Error{no_device} if there is no driver of the vendor, and
  /// Error{unsupported} if the code does not fit the device.
  explicit GpuModule(const KernelCode& code);

  /// The same with a given driver. Throws Error{unsupported} if the code is for another vendor's GPUs.
  GpuModule(const KernelCode& code, std::shared_ptr<const gpu::Driver> driver);
  ~GpuModule();
  GpuModule(GpuModule&&) noexcept;
  GpuModule& operator=(GpuModule&&) noexcept;

  /// The extern "C" kernel of this name. It may be launched with up to `shared_bytes` of dynamic shared memory.
  GpuFunction function(const std::string& name, unsigned shared_bytes = 0) const;

  /// Describes a tensor for kernels that copy with TMA. This is cheap, and only the host works. Throws
  /// Error{unsupported} if the address or the rows are not aligned to 16 bytes, and on GPUs without TMA.
  TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const;

  /// Arguments are passed by value and must have exactly the types that the kernel declares (a literal 1 is an int, not
  /// a long long). If the driver refuses the launch, or the stream belongs to another vendor's device, the failure is
  /// reported to the stream, and the stream's next synchronize() throws it.
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
