// Decides when enough samples have been taken. A rule sees samples and never the clock, so invented samples test it.
#pragma once

#include <memory>

#include "gemmtune/measure/samples.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

class StopRule {
 public:
  virtual ~StopRule() = default;
  virtual bool enough(const Samples& samples) const = 0;
};

/// Stops at max_samples; or, once min_samples are there, when the samples add up to max_sampling_s, or the median's
/// interval is narrow enough and the samples are of two turns at least.
std::unique_ptr<StopRule> make_stop_rule(const MeasurePolicy& policy);

/// Before min_samples have been taken, the limit for slow launches is this much higher.
inline constexpr double give_up_early_factor = 2;

/// The same rule, which also gives up on slow launches: after min_samples when even the fastest sample is above
/// `too_slow_us`, and earlier when it is above give_up_early_factor times that. Screening uses it, because the time of
/// a candidate that is far behind the best need not be known well.
std::unique_ptr<StopRule> make_stop_rule(const MeasurePolicy& policy, double too_slow_us);

}  // namespace gemmtune
