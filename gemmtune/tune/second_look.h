// A second look at the gain against the default choice, where the first one is not to be believed as it is: a default
// choice that stalled while it was timed makes any winner look good.
#pragma once

#include <span>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Whether the default choice and the winner must be timed together again: the gain is over 10x, or the default choice
/// seems slower and the interval of its time spans more than a quarter of it.
bool is_doubtful_gain(const ShapeResult& result);

/// How they are timed: in turn with each other, in at least five turns of few samples where launches are short. A stall
/// spoils some of the turns and not the median.
EvaluationPolicy second_look_policy(const TunePlan& plan);

/// The result after the second look, whose evaluations these are, in any order. Of the two times of the default choice
/// the one that makes the gain smaller counts. The new time is brought to the scale of the winner's own time, since the
/// device may be slower or faster now.
ShapeResult with_second_look(ShapeResult result, std::span<const Evaluation> evaluations);

/// Whether the default choice is right and faster than the winner, so that the winner must be chosen anew.
bool is_default_faster(const ShapeResult& result);

/// The result when there was no time for a second look: a gain over 10x is not stated at all.
ShapeResult without_second_look(ShapeResult result);

}  // namespace gemmtune
