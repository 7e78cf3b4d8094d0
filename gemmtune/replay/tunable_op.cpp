#include "gemmtune/replay/tunable_op.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

#include "gemmtune/replay/drawn_samples.h"

namespace gemmtune {
namespace {

constexpr std::int64_t warmup = 2;

struct Step {
  std::int64_t runs{};
  double reach{};  // dropped above this many times the best mean
};
constexpr Step first_step{.runs = 3, .reach = 1.5};
constexpr Step second_step{.runs = 10, .reach = 1.15};

constexpr double most_runs = 100;
constexpr double most_us = 30'000;

class TunableOp {
 public:
  explicit TunableOp(std::mt19937_64& engine) : timer_(engine) {}

  /// The mean of the last runs; nothing when the candidate was dropped before.
  std::optional<double> mean_us(const RecordedCandidate& one) {
    timer_.use(one.confirm);
    static_cast<void>(mean_of(warmup));
    if (mean_of(first_step.runs) > first_step.reach * best_us_) return std::nullopt;
    const double mean = mean_of(second_step.runs);
    if (mean > second_step.reach * best_us_) return std::nullopt;
    const double full = mean_of(static_cast<std::int64_t>(std::clamp(most_us / mean, 1.0, most_runs)));
    best_us_ = std::min(best_us_, full);
    return full;
  }

  double best_us() const { return best_us_; }
  double take_spent_s() { return timer_.take_spent_s(); }

 private:
  double mean_of(std::int64_t runs) {
    timer_.go_on();
    const auto times = timer_.time_us({[](std::int64_t) {}}, 0, runs);
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(runs);
  }

  DrawingTimer timer_;
  double best_us_{std::numeric_limits<double>::infinity()};
};

}  // namespace

SearchRun tunable_op(const RecordedShape& shape, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  TunableOp rule(engine);
  SearchRun run{.looked_at = static_cast<std::int64_t>(shape.candidates.size())};
  for (const auto& one : shape.candidates) {
    run.overhead_s += one.overhead_us / 1e6;
    if (one.outcome != Outcome::ok) continue;
    const auto mean = rule.mean_us(one);
    if (mean && *mean <= rule.best_us()) run.winner = one.candidate.name;
  }
  run.device_s = rule.take_spent_s();
  return run;
}

}  // namespace gemmtune
