// Compiled kernels on a GPU, ready to be launched: what families and verification see of run-time compilation.
//
// Not: compiling (kernel_compiler.h). Knows no vendor, so that everyone may include it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/launch_shape.h"
#include "gemmtune/device/gpu/tensor_map.h"

namespace gemmtune {

/// A kernel of a module, valid as long as the module.
enum class GpuFunction : std::uintptr_t {};

/// Machine code loaded for the device that the calling thread has opened; unloaded when it goes.
class GpuModule {
 public:
  /// From what KernelCompiler::compile returns. Throws Error{no_device} without a driver, Error{unsupported} when the
  /// code does not fit the device.
  explicit GpuModule(const std::string& code);
  ~GpuModule();
  GpuModule(GpuModule&&) noexcept;
  GpuModule& operator=(GpuModule&&) noexcept;

  /// The extern "C" kernel of this name, which may be launched with up to `shared_bytes` of dynamic shared memory.
  GpuFunction function(const std::string& name, unsigned shared_bytes = 0) const;

  /// For kernels that copy tensors in bulk. Cheap, and made by the host alone. Throws Error{unsupported} for an address
  /// that is not aligned to 16 bytes, or rows that are not.
  TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const;

  /// Arguments go by value and must have the very types that the kernel declares (a literal 1 is an int, no long long).
  /// A launch that the driver refuses is reported to the stream, hence thrown by its next synchronize().
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
