// Takes samples of one launch, or of several in turn, until the stop rule is satisfied. It knows nothing of kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/measure/samples.h"
#include "gemmtune/measure/stop_rule.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// What a device's clock depends on.
enum class Clock : std::uint8_t {
  nothing,
  load,  // how much power the last milliseconds took, as on a GPU
};

/// Warms up, then takes samples, in blocks that follow each other and of which each counts as a turn. Launch i is
/// launch(i); the index counts on, and the caller rotates operands by it.
Samples sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy);

/// The same under the caller's rule. At most policy.max_samples are taken, whatever the rule says.
Samples sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy, const StopRule& rule);

/// The same for several launches, interleaved: each round takes one block of samples of each launch that is not done.
/// Rounds alternate their direction, so that drift of the machine affects all launches alike. Launches within 2 % of
/// the fastest stop together: on a machine that slows down as it heats up, a launch that stops early would look faster.
/// The first block of a launch starts with its warm-up. Each later block starts with one launch that is not counted (if
/// the policy has any warm-up), because it pays for the change from one kernel to the next. Blocks on a device that
/// lowers its clock under load start with load, too. `before_block(i)` is called before each block of launch i, before
/// any of it runs.
std::vector<Samples> sample_interleaved(Timer& timer, std::span<const Timer::Launch> launches,
                                        const MeasurePolicy& policy, Clock clock,
                                        const std::function<void(std::size_t)>& before_block = {});

/// Runs all launches in turn, in blocks that are not counted, until `for_us` microseconds have passed on the host. The
/// host's clock decides, because the reported time of a launch may be a share of a longer run.
void run_in_turns(Timer& timer, std::span<const Timer::Launch> launches, double for_us,
                  const std::function<void(std::size_t)>& before_block = {});

/// The timing of an evaluation, computed from its samples.
Timing summarise(const Samples& samples, bool keep_samples);

/// The samples that a timing keeps, with their turns: summarise() of them gives its numbers again.
Samples samples_of(const Timing& timing);

}  // namespace gemmtune
