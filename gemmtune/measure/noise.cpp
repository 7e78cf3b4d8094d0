#include "gemmtune/measure/noise.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemmtune {

std::string noise_remark(std::span<const double> dispersions) {
  constexpr double noisy = 0.05;
  const auto scattered = std::ranges::count_if(dispersions, [](double dispersion) { return dispersion > noisy; });
  if (2 * scattered <= std::ssize(dispersions)) return {};
  return fmt::format(
      "noise: {} of {} times have a spread above {:.0f} %, so the device is probably busy with other work: measure "
      "again "
      "when nothing else runs",
      scattered, dispersions.size(), 100 * noisy);
}

}  // namespace gemmtune
