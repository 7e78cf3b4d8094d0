// Turns the evaluations of a shape into its result. A pure function, so that a resumed run and an undisturbed run
// agree.
#pragma once

#include <span>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Fills in winner, proved, confirmed, tied, default_choice and failures; why_failed when there is no winner.
/// The winner is the fastest confirmed one that was not disproved, and when none was
/// confirmed (a run cut short) the fastest that screening found right.
ShapeResult with_verdict(ShapeResult result, std::span<const Evaluation> evaluations, const Candidate& default_choice);

}  // namespace gemmtune
