#include "gemmtune/device/gpu/gpu_module.h"

#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {
namespace {

/// What a kernel may use without being allowed more.
constexpr unsigned default_shared_bytes = 48 * 1024;

gpu::Driver open_driver() {
  auto library = SharedLibrary::open({gpu::driver_library});
  if (!library) fail(ErrorCode::no_device, "there is no driver {}", gpu::driver_library);
  return gpu::Driver(*std::move(library));
}

}  // namespace

struct GpuModule::Loaded {
  explicit Loaded(const std::string& code)
      : driver(open_driver()), module(driver.load_module(code)), starts_early(driver.starts_early()) {}
  ~Loaded() { driver.unload(module); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  gpu::Driver driver;
  gpu::ModuleHandle module;
  bool starts_early;
};

GpuModule::GpuModule(const std::string& code) : loaded_(std::make_unique<Loaded>(code)) {}
GpuModule::~GpuModule() = default;
GpuModule::GpuModule(GpuModule&&) noexcept = default;
GpuModule& GpuModule::operator=(GpuModule&&) noexcept = default;

GpuFunction GpuModule::function(const std::string& name, unsigned shared_bytes) const {
  const auto function = loaded_->driver.function(loaded_->module, name);
  if (shared_bytes > default_shared_bytes) loaded_->driver.allow_shared_bytes(function, static_cast<int>(shared_bytes));
  return static_cast<GpuFunction>(reinterpret_cast<std::uintptr_t>(function));
}

TensorMap GpuModule::tensor_map(const std::byte* address, const TensorExtent& extent) const {
  return loaded_->driver.tensor_map(address, extent);
}

void GpuModule::launch_addresses(Stream& stream, GpuFunction function, const LaunchShape& shape,
                                 std::span<const std::byte* const> addresses) const noexcept {
  auto possible = shape;
  if (!loaded_->starts_early) possible.start = LaunchStart::after_previous;
  try {
    loaded_->driver.launch(reinterpret_cast<gpu::FunctionHandle>(function), possible,
                           static_cast<gpu::StreamHandle>(stream.native_handle()), addresses);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
