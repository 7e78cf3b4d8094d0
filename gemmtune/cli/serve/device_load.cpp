#include "gemmtune/cli/serve/device_load.h"

#include <cstdint>
#include <utility>

#include "gemmtune/cli/serve/processor_time.h"
#include "gemmtune/core/files.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {
namespace {

class LoadOfCpu final : public DeviceLoad {
 public:
  std::optional<double> share() override {
    const auto now = parse_processor_time(read_file("/proc/stat"));
    const auto before = std::exchange(last_, now);
    if (!now || !before || now->total <= before->total) return std::nullopt;
    return static_cast<double>(now->busy - before->busy) / static_cast<double>(now->total - before->total);
  }

 private:
  std::optional<ProcessorTime> last_;
};

class LoadOfGpu final : public DeviceLoad {
 public:
  explicit LoadOfGpu(const DeviceInfo& device) {
    const auto vendor = gpu::vendor_of(device.kind);
    monitor_ = vendor.make_monitor(gpu::driver_of(vendor)->bus_id(device.index));
  }

  std::optional<double> share() override { return monitor_->busy_share(); }

 private:
  std::unique_ptr<const gpu::Monitor> monitor_;
};

}  // namespace

std::unique_ptr<DeviceLoad> load_of(const DeviceInfo& device) {
  if (device.kind == DeviceKind::cpu) return std::make_unique<LoadOfCpu>();
  return std::make_unique<LoadOfGpu>(device);
}

}  // namespace gemmtune
