#include "gemmtune/fleet/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gemmtune {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool differs(double time_us, double reference_us, double share) {
  return std::abs(time_us - reference_us) > share * reference_us;
}

}  // namespace

std::string why_far_off(std::span<const std::vector<Calibration>> devices, std::size_t index,
                        const CalibrationRule& rule) {
  const auto& own = devices[index];
  if (own.empty()) return {};
  const double latest = own.back().time_us;
  std::vector<double> all;
  for (const auto& device : devices)
    if (!device.empty()) all.push_back(device.back().time_us);
  if (const double reference = median(all);
      all.size() >= rule.least_devices && differs(latest, reference, rule.far_share))
    return fmt::format("its calibration takes {:.4g} us, the median of {} devices is {:.4g} us", latest, all.size(),
                       reference);
  if (differs(latest, own.front().time_us, rule.far_share))
    return fmt::format("its calibration takes {:.4g} us, at first it took {:.4g} us", latest, own.front().time_us);
  return {};
}

}  // namespace gemmtune
