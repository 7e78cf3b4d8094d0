// What trials show beyond the fastest kernel: what they cost, how noisy they were, and under which conditions they were
// made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/report/measurement.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

struct BackendCost {
  std::string backend{};
  std::size_t trials{};
  Cost cost{};
};

/// How noisy one confirmed time is.
struct NoisePoint {
  std::string backend{};
  ShapeId shape{};
  std::string kernel{};
  double time_us{};
  double dispersion{};
  double clock_mhz{};  // 0 if the device does not report it
  bool throttled{};
};

/// The trials on one kind of device, and the conditions under which they were made.
struct Provenance {
  std::string device{};  // "NVIDIA H100 80GB HBM3, sm90, 132 units"
  std::string driver{};
  std::vector<std::string> libraries{};  // of the families that have trials: "cublaslt 12.6", "onednn 3.4"
  std::vector<std::string> policies{};   // "confirm, warmup 5, 3 to 101 samples, cold cache, errRatio 0.05"
  std::size_t trials{};
  std::string first_utc{};
  std::string last_utc{};
};

/// The cost of each backend's trials, sorted by name.
std::vector<BackendCost> backend_costs(std::span<const Trial> trials);

/// The noise of at most `limit` confirmed times, in the order of the trials.
std::vector<NoisePoint> noise_points(std::span<const Trial> trials, std::size_t limit);

/// The device with the most trials first.
std::vector<Provenance> provenances(std::span<const Trial> trials);

}  // namespace gemmtune
