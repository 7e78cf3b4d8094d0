#include "gemmtune/bench/roofline.h"

#include <algorithm>

namespace gemmtune {

std::string peak_key(const Problem& problem) {
  std::string key(to_string(problem.a.type));
  if (problem.w.type != problem.a.type) key += ':' + std::string(to_string(problem.w.type));
  return key;
}

bool is_of(const Roofline& roofline, const DeviceInfo& device) {
  return roofline.device_name == device.name && roofline.arch == device.arch && roofline.cu_num == device.cu_num;
}

std::optional<double> attainable_tflops(const Roofline& roofline, const Problem& problem) {
  const auto peak = roofline.peaks.find(peak_key(problem));
  if (peak == roofline.peaks.end() || peak->second.tflops <= 0 || roofline.copy_gbps <= 0) return std::nullopt;
  const double fed = flops(problem) / moved_bytes(problem) * roofline.copy_gbps / 1e3;
  return std::min(peak->second.tflops, fed);
}

Roofline updated(Roofline known, const Roofline& measured) {
  auto peaks = std::move(known.peaks);
  for (const auto& [key, peak] : measured.peaks) peaks[key] = peak;
  if (measured.copy_gbps > 0) known = measured;
  known.driver = measured.driver;
  known.peaks = std::move(peaks);
  return known;
}

}  // namespace gemmtune
