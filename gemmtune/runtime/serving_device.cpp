#include "gemmtune/runtime/serving_device.h"

#include <algorithm>
#include <utility>

#include "gemmtune/device/gpu/gpu_stream.h"
#include "gemmtune/device/gpu/vendor.h"
#include "gemmtune/runtime/launch_stream.h"

namespace gemmtune {
namespace {

DeviceInfo chosen(std::string_view id) {
  const auto all = list_devices();
  if (!id.empty()) return find_device(id, all);
  const auto gpu = std::ranges::find_if(all, [](const DeviceInfo& one) { return one.kind != DeviceKind::cpu; });
  return gpu == all.end() ? all.front() : *gpu;
}

/// The device's primary context. The thread's own context is unchanged afterwards.
gpu::ContextHandle primary_context(const gpu::Driver& driver, int index) {
  const auto former = driver.current_context();
  driver.make_current(index);
  const auto primary = driver.current_context();
  driver.make_current(former);
  return primary;
}

}  // namespace

ServingDevice::Entered::Entered(const ServingDevice& device) : device_(&device) {
  if (!device.driver_) return;
  former_ = device.driver_->current_context();
  device.driver_->make_current(device.context_);
  former_mode_ = device.driver_->exchange_capture_mode(gpu::CaptureMode::relaxed);
}

ServingDevice::Entered::~Entered() {
  if (!device_->driver_) return;
  device_->driver_->exchange_capture_mode(former_mode_);
  device_->driver_->make_current(former_);
}

std::shared_ptr<const ServingDevice> ServingDevice::open(std::string_view id) {
  return std::make_shared<const ServingDevice>(chosen(id));
}

ServingDevice::ServingDevice(DeviceInfo info) : info_(std::move(info)) {
  if (info_.kind != DeviceKind::cpu) {
    driver_ = gpu::driver_of(gpu::vendor_of(info_.kind));
    context_ = primary_context(*driver_, info_.index);
  }
  ProcessEvents::of_process().add(*this);
}

ServingDevice::~ServingDevice() { ProcessEvents::of_process().remove(*this); }

bool ServingDevice::is_reached() const noexcept {
  if (is_forked()) return false;
  if (!driver_) return true;
  const auto current = driver_->current_context();
  if (current == gpu::ContextHandle{}) driver_->make_current(context_);
  return current == context_ || current == gpu::ContextHandle{};
}

std::unique_ptr<Stream> ServingDevice::view_of(void* native) const {
  if (!driver_) return std::make_unique<LaunchStream>(info_.kind, native);
  return std::make_unique<GpuStream>(driver_, static_cast<gpu::StreamHandle>(native));
}

}  // namespace gemmtune
