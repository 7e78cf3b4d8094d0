// Times launches on the CPU, where a launch is over when it returns.
#pragma once

#include "gemmtune/device/device.h"

namespace gemmtune {

/// Each launch gets its own pair of clock readings. Launches under 2 µs would be ranked by the readings' own cost, so
/// that many of them, about 20 µs in all, make one sample, which is their mean. The first launch of a call shows how
/// long they are, and is no sample then.
class CpuTimer final : public Timer {
 public:
  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;
};

}  // namespace gemmtune
