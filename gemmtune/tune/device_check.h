// The check before a run on several devices: each device times the same work, so that a device that is slower than the
// others (hot, power-capped, or shared) is found before its times go into a table.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// How a device compares with the others.
struct DeviceComparison {
  std::string remark{};  // "" when there is nothing to report
  bool too_slow{};       // the device must not be used

  bool operator==(const DeviceComparison&) const = default;
};

/// Compares each device's time for the same work (0: no time) with the median of the other times. A device that is 3 %
/// slower gets a remark; one that is 10 % slower is too slow.
std::vector<DeviceComparison> compare_devices(std::span<const double> times_us);

/// The shape of a plan that shows most about a device: the largest one of at most a few teraflop.
const Shape& device_check_shape(std::span<const Shape> shapes);

/// Median time, in microseconds, of the default choice for `shape`; of its first candidate when no family has a
/// default. 0 when that candidate fails.
double time_for_device_check(const TunePlan& plan, const Shape& shape, Evaluator& evaluator);

/// The point at which the workers wait for each other.
class DeviceCheck {
 public:
  explicit DeviceCheck(std::size_t worker_count) : times_us_(worker_count, 0.0), answered_(worker_count, false) {}

  /// Waits until every worker has answered or left.
  DeviceComparison answer(std::size_t worker, double time_us);

  /// Other workers no longer wait for this one, whether or not it has answered.
  void leave(std::size_t worker);

 private:
  void note(std::size_t worker, double time_us);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<double> times_us_;
  std::vector<bool> answered_;
};

}  // namespace gemmtune
