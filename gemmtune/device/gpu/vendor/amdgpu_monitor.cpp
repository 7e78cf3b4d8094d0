// What the Linux kernel's driver (amdgpu) reports in files of the device's hwmon folder. The kernel's page "GPU
// power/thermal controls and monitoring" documents them. None of them says whether the clock is held back.
#include <fstream>
#include <utility>

#include "gemmtune/device/gpu/vendor/hip.h"

namespace gemmtune::gpu {
namespace {

namespace fs = std::filesystem;

/// The only folder in hwmon/, or, without the driver, hwmon/ itself, which then has no files. Its name contains a
/// number that counts all devices of the machine.
fs::path hwmon_folder(const fs::path& device) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(device / "hwmon", none)) return entry.path();
  return device / "hwmon";
}

double read_number(const fs::path& path) {
  double number{};
  return std::ifstream(path) >> number ? number : 0;
}

class AmdgpuMonitor final : public Monitor {
 public:
  explicit AmdgpuMonitor(const fs::path& device) : folder_(hwmon_folder(device)) {}

  ClockReading read() const override { return {.clock_mhz = read_number(folder_ / "freq1_input") / 1e6}; }  // in Hz
  double power_limit_w() const override { return read_number(folder_ / "power1_cap") / 1e6; }               // in uW

 private:
  fs::path folder_;
};

}  // namespace

std::unique_ptr<const Monitor> make_amdgpu_monitor(const std::string& bus_id) {
  return make_amdgpu_monitor(fs::path("/sys/bus/pci/devices") / bus_id);
}

std::unique_ptr<const Monitor> make_amdgpu_monitor(const fs::path& folder) {
  return std::make_unique<const AmdgpuMonitor>(folder);
}

}  // namespace gemmtune::gpu
