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

/// A device that is this much slower than the others' median is worth a word; and this much, not worth using.
inline constexpr double noticeably_slow = 1.03;
inline constexpr double too_slow = 1.10;

/// What to say of each device from the times of the same work (0: it has none); "" where there is nothing to say.
struct Standing {
  std::string remark{};
  bool too_slow{};

  bool operator==(const Standing&) const = default;
};
std::vector<Standing> compare_devices(std::span<const double> times_us);

/// The shape of a plan whose work says most about a device: the largest of at most a few teraflop.
const Shape& roll_call_shape(std::span<const Shape> shapes);

/// Median time of what users of a library have without tuning, of the first of `shape`'s candidates otherwise; 0 when
/// that fails.
double time_for_roll_call(const TunePlan& plan, const Shape& shape, Evaluator& evaluator);

/// Where the workers wait for each other.
class RollCall {
 public:
  explicit RollCall(std::size_t worker_count) : times_us_(worker_count, 0.0), answered_(worker_count, false) {}

  /// Waits until all have answered or left.
  Standing answer(std::size_t worker, double time_us);

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
