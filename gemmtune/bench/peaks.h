// Measures a device's roofline: large copies, and for each type the fastest kernel of any family on a large square
// problem.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/interleaved_bench.h"
#include "gemmtune/device/device.h"

namespace gemmtune {

/// The rate of copies within the device in GB/s, counting bytes read and bytes written; a CPU copies with all cores. It
/// is the median of several copies.
double copy_bandwidth_gbps(Device& device);

/// The side length of the square problems: large enough to keep all units busy, small enough to be measured within a
/// minute.
std::int64_t peak_size(const DeviceInfo& device);

/// One problem for each type that families multiply, with packed weights: "bf16", "f16", "f32", "int8", "e4m3",
/// "e2m1". An empty list of types means all of them. Throws Error{usage} for any other type.
std::vector<Problem> peak_problems(std::vector<std::string> types, std::int64_t size);

/// The speed of the fastest kernel that a search finds, or why there is none.
struct PeakResult {
  std::optional<MatrixPeak> peak{};
  std::string why_none{};
};

/// Empty if the evaluator was interrupted.
std::optional<PeakResult> measure_peak(Evaluator& evaluator, const Problem& problem, const TunePlan& plan);

}  // namespace gemmtune
