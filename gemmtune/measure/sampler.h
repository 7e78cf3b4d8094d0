// Takes samples of one launch, or of several in turn, until their stop rules are content. Knows nothing of kernels.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/measure/samples.h"
#include "gemmtune/measure/stop_rule.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// Warm-up, then samples. Launch i is launch(i): the index counts on, so that the caller can rotate operands by it.
Samples sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy);

/// The same under a rule of the caller's, which is obeyed before policy.max_samples at the latest.
Samples sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy, const StopRule& rule);

/// The same for several launches, interleaved: each round takes one block of samples of each that is not done, in an
/// order that alternates, so that drift of the machine hits all alike. Those within 2 % of the fastest are done
/// together: on a machine that slows down as it heats up, whoever is done early looks faster. The first block of each
/// starts with its warm-up, later ones with one launch that is not counted (if there is any warm-up), which pays for
/// the change from one kernel to the next. `before_block(i)` is called before each block of launch i, and before
/// anything of it runs.
std::vector<Samples> sample_interleaved(Timer& timer, std::span<const Timer::Launch> launches,
                                        const MeasurePolicy& policy,
                                        const std::function<void(std::size_t)>& before_block = {});

/// All of them in turn, in blocks that nobody counts, until `for_us` have passed on the host: what a launch is timed to
/// take, as a share of many, says nothing of how long those took.
void run_in_turns(Timer& timer, std::span<const Timer::Launch> launches, double for_us,
                  const std::function<void(std::size_t)>& before_block = {});

/// The timing part of an evaluation from its samples.
Timing summarise(const Samples& samples, bool keep_samples);

}  // namespace gemmtune
