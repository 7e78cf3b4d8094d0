// Turns the evaluations of a shape into its result. A pure function, so that a resumed run and an undisturbed run
// agree.
#pragma once

#include <span>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Fills in winner, confirmed, tied, default_choice and failures; why_failed when there is no winner, and unproven when
/// some candidate is right as far as it was tried, but not proven.
/// The winner is the fastest confirmed candidate that is proven. When none was confirmed (a run cut short), it is the
/// fastest candidate that screening found right and that is proven.
ShapeResult with_verdict(ShapeResult result, std::span<const Evaluation> evaluations, const Candidate& default_choice);

}  // namespace gemmtune
