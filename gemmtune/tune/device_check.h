// Before a run on several devices: each times the same work, so that a card that is slower than its siblings (hot,
// power-capped, shared with someone) is known before its times go into a table.
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

/// What to say of a device beside the others.
struct DeviceComparison {
  std::string remark{};  // "" where there is nothing to say
  bool too_slow{};       // to be used

  bool operator==(const DeviceComparison&) const = default;
};

/// From the times of the same work (0: none), each held against the others' median: 3 % slower is worth a word, 10 %
/// too slow.
std::vector<DeviceComparison> compare_devices(std::span<const double> times_us);

/// The shape of a plan whose work says most about a device: the largest of at most a few teraflop.
const Shape& device_check_shape(std::span<const Shape> shapes);

/// Median time of what users of a library have without tuning, of the first of `shape`'s candidates otherwise; 0 when
/// that fails.
double time_for_device_check(const TunePlan& plan, const Shape& shape, Evaluator& evaluator);

/// Where the workers wait for each other.
class DeviceCheck {
 public:
  explicit DeviceCheck(std::size_t worker_count) : times_us_(worker_count, 0.0), answered_(worker_count, false) {}

  /// Waits until all have answered or left.
  DeviceComparison answer(std::size_t worker, double time_us);

  /// For a worker that will not answer, or has; nobody waits for it any more.
  void leave(std::size_t worker);

 private:
  void note(std::size_t worker, double time_us);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<double> times_us_;
  std::vector<bool> answered_;
};

}  // namespace gemmtune
