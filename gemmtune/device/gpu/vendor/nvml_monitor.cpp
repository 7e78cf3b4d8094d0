// What NVIDIA's management library (NVML) reports. Its header comes with drivers, not with toolkits, so the few
// constants of its stable binary interface that are needed are defined here.
#include <cstdint>
#include <utility>

#include "gemmtune/core/shared_library.h"
#include "gemmtune/device/gpu/vendor/cuda.h"

namespace gemmtune::gpu {
namespace {

using NvmlDevice = struct NvmlDeviceState*;
constexpr int success = 0;
constexpr int sm_clock = 1;
// Power cap, hardware slowdown, thermal slowdown by software and by hardware, power brake. An idle GPU, and clocks that
// its owner has set, do not count.
constexpr std::uint64_t holding_back = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

/// nvmlUtilization_t
struct Utilization {
  unsigned gpu_pct{};
  unsigned memory_pct{};
};

struct Library {
  explicit Library(SharedLibrary opened) : library(std::move(opened)) {}

  SharedLibrary library;
  int (*init)(){library.find<int()>("nvmlInit_v2")};
  int (*by_bus_id)(const char*,
                   NvmlDevice*){library.find<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2")};
  int (*clock)(NvmlDevice, int, unsigned*){library.find<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo")};
  int (*reasons)(NvmlDevice, unsigned long long*){
      library.find<int(NvmlDevice, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons")};
  int (*power_limit)(NvmlDevice,
                     unsigned*){library.find<int(NvmlDevice, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit")};
  int (*utilization)(NvmlDevice,
                     Utilization*){library.find<int(NvmlDevice, Utilization*)>("nvmlDeviceGetUtilizationRates")};
  NvmlDevice device{};

  bool start(const std::string& bus_id) {
    return init != nullptr && by_bus_id != nullptr && clock != nullptr && init() == success &&
           by_bus_id(bus_id.c_str(), &device) == success;
  }
};

class NvmlMonitor final : public Monitor {
 public:
  explicit NvmlMonitor(const std::string& bus_id) {
    auto opened = SharedLibrary::open({"libnvidia-ml.so.1"});
    if (!opened) return;
    auto library = std::make_unique<Library>(*std::move(opened));
    if (library->start(bus_id)) library_ = std::move(library);
  }

  ClockReading read() const override {
    ClockReading reading;
    if (!library_) return reading;
    unsigned mhz{};
    unsigned long long reasons{};
    if (library_->clock(library_->device, sm_clock, &mhz) == success) reading.clock_mhz = mhz;
    if (library_->reasons != nullptr && library_->reasons(library_->device, &reasons) == success)
      reading.throttled = (reasons & holding_back) != 0;
    return reading;
  }

  std::optional<double> busy_share() const override {
    Utilization rates;
    const bool told =
        library_ && library_->utilization != nullptr && library_->utilization(library_->device, &rates) == success;
    return told ? std::optional(rates.gpu_pct / 100.0) : std::nullopt;
  }

  double power_limit_w() const override {
    unsigned milliwatts{};
    const bool told =
        library_ && library_->power_limit != nullptr && library_->power_limit(library_->device, &milliwatts) == success;
    return told ? milliwatts / 1000.0 : 0;
  }

 private:
  std::unique_ptr<Library> library_;
};

}  // namespace

std::unique_ptr<const Monitor> make_nvml_monitor(const std::string& bus_id) {
  return std::make_unique<const NvmlMonitor>(bus_id);
}

}  // namespace gemmtune::gpu
