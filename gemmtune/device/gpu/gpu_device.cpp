#include "gemmtune/device/gpu/gpu_device.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/gpu_pinned_link.h"
#include "gemmtune/device/gpu/gpu_stream.h"
#include "gemmtune/device/gpu/gpu_timer.h"
#include "gemmtune/device/gpu/staging.h"

namespace gemmtune {
namespace {

DeviceInfo read_info(const gpu::Vendor& vendor, const gpu::Driver& driver, int index) {
  auto info = driver.device_info(index);
  const double watts = vendor.make_monitor(driver.bus_id(index))->power_limit_w();
  if (watts > 0) info.features.push_back(fmt::format("power_limit_{:.0f}w", watts));
  return info;
}

/// The GPUs of one vendor, as far as its driver reports them.
std::vector<DeviceInfo> list_gpus_of(const gpu::Vendor& vendor) {
  std::vector<DeviceInfo> gpus;
  const auto driver = gpu::find_driver(vendor);
  if (!driver) return gpus;
  for (int index = 0; index < driver->device_count(); ++index) gpus.push_back(read_info(vendor, *driver, index));
  return gpus;
}

class GpuDevice final : public Device {
 public:
  GpuDevice(const DeviceInfo& info, const gpu::Vendor& vendor, std::shared_ptr<const gpu::Driver> driver)
      : info_(info),
        driver_(made_current(std::move(driver), info.index)),
        stream_(driver_),
        timer_(stream_),
        pinned_link_(stream_),
        staging_(pinned_link_),
        monitor_(vendor.make_monitor(driver_->bus_id(info.index))) {}

  const DeviceInfo& info() const override { return info_; }

  Buffer allocate(std::size_t bytes) override {
    if (bytes == 0) return {};
    return {driver_->allocate(bytes), bytes, [driver = driver_](std::byte* released) { driver->release(released); }};
  }

  void upload(std::span<const std::byte> from, std::byte* to) override {
    if (from.empty()) return;
    if (staging_.takes(from.size())) return staging_.upload(from, to);
    driver_->upload(from.data(), to, from.size(), stream_.handle());
    driver_->synchronize(stream_.handle());  // the caller may free its bytes when this returns
  }
  void download(const std::byte* from, std::span<std::byte> to) override {
    if (to.empty()) return;
    if (staging_.takes(to.size())) return staging_.download(from, to);
    driver_->download(from, to.data(), to.size(), stream_.handle());
    driver_->synchronize(stream_.handle());
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes) override {
    if (bytes > 0) driver_->copy(from, to, bytes, stream_.handle());
  }
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern) override {
    if (bytes > 0) driver_->fill(to, bytes, pattern, stream_.handle());
  }

  Stream& stream() override { return stream_; }
  Timer& timer() override { return timer_; }
  ClockReading read_clock() override { return monitor_->read(); }
  bool lost() override { return driver_->failed(stream_.handle()); }

 private:
  static std::shared_ptr<const gpu::Driver> made_current(std::shared_ptr<const gpu::Driver> driver, int index) {
    driver->make_current(index);
    return driver;
  }

  DeviceInfo info_;
  std::shared_ptr<const gpu::Driver> driver_;
  GpuStream stream_;
  GpuTimer timer_;
  GpuPinnedLink pinned_link_;
  Staging staging_;
  std::unique_ptr<const gpu::Monitor> monitor_;
};

}  // namespace

std::vector<DeviceInfo> list_gpus(const std::vector<gpu::Vendor>& vendors) {
  std::vector<DeviceInfo> gpus;
  for (const auto& vendor : vendors) {
    try {
      std::ranges::move(list_gpus_of(vendor), std::back_inserter(gpus));
    } catch (const Error& error) {
      spdlog::warn("GPUs of kind {} are left out: {}", kind_name(vendor.kind), error.what());
    }
  }
  return gpus;
}

std::unique_ptr<Device> make_gpu_device(const DeviceInfo& info, const std::vector<gpu::Vendor>& vendors) {
  const auto vendor = gpu::vendor_of(info.kind, vendors);
  auto driver = gpu::find_driver(vendor);
  if (!driver) fail(ErrorCode::no_device, "{}: {}", device_id(info), gpu::why_no_driver(vendor));
  return std::make_unique<GpuDevice>(info, vendor, std::move(driver));
}

}  // namespace gemmtune
