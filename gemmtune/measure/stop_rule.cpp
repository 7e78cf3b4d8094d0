#include "gemmtune/measure/stop_rule.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

class PolicyRule final : public StopRule {
 public:
  PolicyRule(const MeasurePolicy& policy, double too_slow_us) : policy_(policy), too_slow_us_(too_slow_us) {}

  bool enough(const Samples& samples) const override {
    const auto count = static_cast<std::int64_t>(samples.us.size());
    if (count >= policy_.max_samples) return true;
    if (count == 0) return false;
    if (count < policy_.min_samples) return all_over(give_up_early_factor * too_slow_us_, samples);
    return spent(samples) || all_over(too_slow_us_, samples) || narrow(samples);
  }

 private:
  bool spent(const Samples& samples) const {
    return std::accumulate(samples.us.begin(), samples.us.end(), 0.0) >= policy_.max_sampling_s * 1e6;
  }

  static bool all_over(double limit_us, const Samples& samples) {
    return *std::min_element(samples.us.begin(), samples.us.end()) > limit_us;
  }

  /// One turn does not show how far its time is off, however well its samples agree.
  bool narrow(const Samples& samples) const {
    if (samples.turns.size() < 2) return false;
    const auto interval = *median_interval(samples);
    return (interval.high - interval.low) / 2 < policy_.target_dispersion * *median(samples.us);
  }

  MeasurePolicy policy_;
  double too_slow_us_;
};

}  // namespace

std::unique_ptr<StopRule> make_stop_rule(const MeasurePolicy& policy) {
  return make_stop_rule(policy, std::numeric_limits<double>::infinity());
}

std::unique_ptr<StopRule> make_stop_rule(const MeasurePolicy& policy, double too_slow_us) {
  return std::make_unique<PolicyRule>(policy, too_slow_us);
}

}  // namespace gemmtune
