// What a machine reports about a GPU while it works: its clock, and whether something holds the clock back.
#pragma once

#include <optional>

#include "gemmtune/device/device.h"

namespace gemmtune::gpu {

class Monitor {
 public:
  Monitor() = default;
  virtual ~Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  virtual ClockReading read() const = 0;

  /// The share of the last second or so in which kernels ran, from 0 to 1. Empty if the machine does not report it.
  virtual std::optional<double> busy_share() const { return std::nullopt; }

  /// The limit of the board's power in watts; 0 if the machine does not report it.
  virtual double power_limit_w() const = 0;
};

}  // namespace gemmtune::gpu
