// When enough samples have been taken. A rule sees samples, never the clock, so that it is tested with invented ones.
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

/// Stops at max_samples; or, once min_samples are there, when the median's interval is narrow enough or the samples add
/// up to max_sampling_s.
std::unique_ptr<StopRule> make_stop_rule(const MeasurePolicy& policy);

/// The same; and once min_samples are there, when even the fastest of them is slower than `too_slow_us`, or before that
/// when it is twice as slow: for screening, where what is far behind the best need not be known well.
std::unique_ptr<StopRule> make_stop_rule(const MeasurePolicy& policy, double too_slow_us);

}  // namespace gemmtune
