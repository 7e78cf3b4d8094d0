// Times attempts in turn. Time, failures, broken guards and wrong outputs are charged to the attempt whose turn it was.
#pragma once

#include <span>

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/measure/sampler.h"

namespace gemmtune {

Clock clock_of(DeviceKind kind);

/// The clock of an idle GPU falls within tenths of a second of load to what its power limit allows. For that long,
/// attempts are launched in turn before they are timed: 40 ms for each warm-up launch of the policy, so that the
/// short rounds of a race, which follow each other, wait less than a confirmation does.
double settling_us(const MeasurePolicy& policy);

/// All attempts are alive and equipped. Each one that is still alive afterwards has its timing. What the first turn of
/// each attempt leaves is judged (evaluate/witness.h), and so is that of a quarter of the later turns, which are drawn.
void time_in_turn(const Workbench& bench, const EvaluationRequest& request, std::span<Attempt> attempts,
                  EvaluationObserver& observer);

}  // namespace gemmtune
