// What the management library (NVML) tells of a GPU while it works: its clock, and whether something holds it back.
#pragma once

#include <memory>
#include <string>

#include "gemmtune/device/device.h"

namespace gemmtune {

class GpuMonitor {
 public:
  /// By the device's bus address. Without the library all readings are zeros.
  explicit GpuMonitor(const std::string& bus_id);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  ClockReading read() const;

  /// Watts that the board may draw; 0 where it does not tell.
  double power_limit_w() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace gemmtune
