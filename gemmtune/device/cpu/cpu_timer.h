// Times launches on the CPU, where a launch is over when it returns.
#pragma once

#include "gemmtune/device/device.h"

namespace gemmtune {

/// Each launch gets its own pair of clock readings. Launches under 2 µs would be ranked by the readings' own cost, so
/// they are timed in blocks of about 20 µs, and each of a block gets an equal share.
class CpuTimer final : public Timer {
 public:
  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;
};

}  // namespace gemmtune
