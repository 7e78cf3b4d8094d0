// What a machine tells of a GPU while it works: its clock, and whether something holds it back.
#pragma once

#include "gemmtune/device/device.h"

namespace gemmtune::gpu {

class Monitor {
 public:
  Monitor() = default;
  virtual ~Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  virtual ClockReading read() const = 0;

  /// Watts that the board may draw; 0 where it does not tell.
  virtual double power_limit_w() const = 0;
};

}  // namespace gemmtune::gpu
