// Measuring a device's roofline: large copies, and for each type the fastest kernel of any family on a large square
// problem.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/interleaved_bench.h"
#include "gemmtune/device/device.h"

namespace gemmtune {

/// Bytes read and written by copies within the device, by all cores of a CPU, in GB/s: the median of several.
double copy_bandwidth_gbps(Device& device);

/// Edge of the square problems: large enough for all units to be busy, small enough for a minute.
std::int64_t peak_size(const DeviceInfo& device);

/// One for each type that families multiply, with weights packed ahead: "bf16", "f16", "f32", "int8", "e4m3", "e2m1".
/// Throws Error{usage} for a type that is none of them; no types: all.
std::vector<Problem> peak_problems(std::vector<std::string> types, std::int64_t size);

/// What the fastest that a search finds comes to; why there is none where there is none.
struct PeakResult {
  std::optional<MatrixPeak> peak{};
  std::string why_none{};
};

/// Nothing when the evaluator was interrupted.
std::optional<PeakResult> measure_peak(Evaluator& evaluator, const Problem& problem, const TunePlan& plan);

}  // namespace gemmtune
