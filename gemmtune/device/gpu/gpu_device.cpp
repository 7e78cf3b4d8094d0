#include "gemmtune/device/gpu/gpu_device.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/find_driver.h"
#include "gemmtune/device/gpu/gpu_monitor.h"
#include "gemmtune/device/gpu/gpu_pinned_link.h"
#include "gemmtune/device/gpu/gpu_stream.h"
#include "gemmtune/device/gpu/gpu_timer.h"
#include "gemmtune/device/gpu/staging.h"

namespace gemmtune {
namespace {

DeviceInfo read_info(const gpu::Driver& driver, int index) {
  const auto device = driver.device(index);
  const double watts = GpuMonitor(driver.bus_id(device)).power_limit_w();
  DeviceInfo info{.kind = gpu::device_kind,
                  .index = index,
                  .name = driver.device_name(device),
                  .arch = driver.arch(device),
                  .cu_num = driver.compute_units(device),
                  .last_level_cache_bytes = driver.l2_bytes(device),
                  .memory_bytes = static_cast<std::int64_t>(driver.memory_bytes(device)),
                  .driver = driver.version()};
  if (watts > 0) info.features.push_back(fmt::format("power_limit_{:.0f}w", watts));
  return info;
}

class GpuDevice final : public Device {
 public:
  GpuDevice(const DeviceInfo& info, std::shared_ptr<const gpu::Driver> driver)
      : info_(info),
        driver_(made_current(std::move(driver), info.index)),
        stream_(driver_),
        timer_(stream_),
        pinned_link_(stream_),
        staging_(pinned_link_),
        monitor_(driver_->bus_id(driver_->device(info.index))) {}

  const DeviceInfo& info() const override { return info_; }

  Buffer allocate(std::size_t bytes) override {
    if (bytes == 0) return {};
    return {driver_->allocate(bytes), bytes, [driver = driver_](std::byte* released) { driver->release(released); }};
  }

  void upload(std::span<const std::byte> from, std::byte* to) override {
    if (from.empty()) return;
    if (staging_.takes(from.size())) return staging_.upload(from, to);
    driver_->upload(from.data(), to, from.size(), stream_.handle());
    driver_->synchronize(stream_.handle());  // the host's bytes may go when this returns
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
  ClockReading read_clock() override { return monitor_.read(); }
  bool lost() override { return driver_->failed(stream_.handle()); }

 private:
  static std::shared_ptr<const gpu::Driver> made_current(std::shared_ptr<const gpu::Driver> driver, int index) {
    driver->make_current(driver->device(index));
    return driver;
  }

  DeviceInfo info_;
  std::shared_ptr<const gpu::Driver> driver_;
  GpuStream stream_;
  GpuTimer timer_;
  GpuPinnedLink pinned_link_;
  Staging staging_;
  GpuMonitor monitor_;
};

}  // namespace

std::vector<DeviceInfo> list_gpus() {
  std::vector<DeviceInfo> gpus;
  const auto driver = find_driver();
  for (int index = 0; driver && index < driver->device_count(); ++index) gpus.push_back(read_info(*driver, index));
  return gpus;
}

std::unique_ptr<Device> make_gpu_device(const DeviceInfo& info) {
  auto driver = find_driver();
  if (!driver) fail(ErrorCode::no_device, "{}: the driver {} does not start", device_id(info), gpu::driver_library);
  return std::make_unique<GpuDevice>(info, std::move(driver));
}

}  // namespace gemmtune
