// Whether a device measures what the others measure. Every device tunes one and the same shape, first and again at
// times. Pure functions of the times that came back.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gemmtune {

struct Calibration {
  double at_s{};  // since 1970
  double time_us{};

  auto operator<=>(const Calibration&) const = default;
};

struct CalibrationRule {
  double far_share{0.1};         // a time that differs by more than this share of the median is far off
  double interval_s{600};        // between two calibrations of a device
  std::size_t least_devices{3};  // fewer do not tell which of them is wrong

  auto operator<=>(const CalibrationRule&) const = default;
};

/// Why the device `index` is far off; "" if it is not, or if nobody can tell. `devices` has the calibrations of each
/// device, the latest last, empty ones too. The reference is the median of the latest times of all devices; a device is
/// also held against its own first time.
std::string why_far_off(std::span<const std::vector<Calibration>> devices, std::size_t index,
                        const CalibrationRule& rule);

}  // namespace gemmtune
