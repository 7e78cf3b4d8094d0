// The CPU's clock, and whether heat slowed it down, as far as the kernel reports them.
#pragma once

#include <cstdint>
#include <optional>

#include "gemmtune/device/cpu/system_tree.h"
#include "gemmtune/device/device.h"

namespace gemmtune {

/// Readings are of the CPU that the caller runs on. `throttled` means that the kernel has counted thermal throttling
/// since the previous reading. It is false if the kernel does not count it (most virtual machines, AMD, Arm).
class CpuClock {
 public:
  explicit CpuClock(SystemTree tree);

  ClockReading read();

 private:
  SystemTree tree_;
  std::optional<std::int64_t> throttle_count_;
};

}  // namespace gemmtune
