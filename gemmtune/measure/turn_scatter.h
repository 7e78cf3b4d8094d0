// What the turns of candidates say of their times that were timed interleaved, and how sure that is, judged by all of
// their turns together.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/measure/turn_residuals.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// The standard deviation of a time's logarithm that its 95 % interval stands for.
double log_deviation(const Timing& timing);

/// The time of each of these evaluations, which were timed together in turns, by measure/turn_residuals.h. The
/// deviation is never less than if all samples were independent. Evaluations that keep no samples of two turns have
/// their median and the deviation of their interval. Those that were not timed have zeros.
std::vector<TurnTime> times_by_turns(std::span<const Evaluation> together);

}  // namespace gemmtune
