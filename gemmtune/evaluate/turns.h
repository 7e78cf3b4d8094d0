// Times attempts in turn, and keeps book of whose turn it is: time, failures and broken guards go to the one that ran.
#pragma once

#include <span>

#include "gemmtune/evaluate/stages.h"

namespace gemmtune {

/// A GPU's clock falls within tenths of a second from that of an idle card to one that its power allows. For so long,
/// attempts are launched in turn before they are timed: 40 ms for each launch of warm-up that the policy wants, so that
/// the brief rounds of a race, which follow each other, wait less than a confirmation.
double settling_us(const MeasurePolicy& policy);

/// All of them are alive and equipped. Each that still is afterwards has its timing.
void time_in_turn(const Workbench& bench, const EvaluationRequest& request, std::span<Attempt> attempts,
                  EvaluationObserver& observer);

}  // namespace gemmtune
