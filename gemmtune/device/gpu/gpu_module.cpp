#include "gemmtune/device/gpu/gpu_module.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {
namespace {

/// The dynamic shared memory that every kernel may use without asking for more.
constexpr unsigned default_shared_bytes = 48 * 1024;

}  // namespace

struct GpuModule::Loaded {
  Loaded(const std::string& code, std::shared_ptr<const gpu::Driver> of)
      : driver(std::move(of)),
        module(driver->load_module(code)),
        kind(driver->kind()),
        starts_early(driver->starts_early()) {}
  ~Loaded() { driver->unload(module); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  std::shared_ptr<const gpu::Driver> driver;
  gpu::ModuleHandle module;
  DeviceKind kind;
  bool starts_early;
};

GpuModule::GpuModule(const KernelCode& code) : GpuModule(code, gpu::driver_of(gpu::vendor_of(code.kind))) {}

GpuModule::GpuModule(const KernelCode& code, std::shared_ptr<const gpu::Driver> driver) {
  if (code.kind != driver->kind())
    fail(ErrorCode::unsupported, "machine code for {} cannot be loaded by the driver for {}", kind_name(code.kind),
         kind_name(driver->kind()));
  loaded_ = std::make_unique<Loaded>(code.bytes, std::move(driver));
}

GpuModule::~GpuModule() = default;
GpuModule::GpuModule(GpuModule&&) noexcept = default;
GpuModule& GpuModule::operator=(GpuModule&&) noexcept = default;

GpuFunction GpuModule::function(const std::string& name, unsigned shared_bytes) const {
  const auto function = loaded_->driver->function(loaded_->module, name);
  if (shared_bytes > default_shared_bytes)
    loaded_->driver->allow_shared_bytes(function, static_cast<int>(shared_bytes));
  return static_cast<GpuFunction>(reinterpret_cast<std::uintptr_t>(function));
}

TensorMap GpuModule::tensor_map(const std::byte* address, const TensorExtent& extent) const {
  return loaded_->driver->tensor_map(address, extent);
}

void GpuModule::launch_addresses(Stream& stream, GpuFunction function, const LaunchShape& shape,
                                 std::span<const std::byte* const> addresses) const noexcept {
  if (stream.kind() != loaded_->kind) return stream.report_failure("a kernel was launched on another vendor's device");
  auto possible = shape;
  if (!loaded_->starts_early) possible.start = LaunchStart::after_previous;
  try {
    loaded_->driver->launch(reinterpret_cast<gpu::FunctionHandle>(function), possible,
                            static_cast<gpu::StreamHandle>(stream.native_handle()), addresses);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
