// When two times cannot be told apart: one rule for winners and for reports.
#pragma once

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// A candidate is tied with the fastest if its median is within 0.5 % of the fastest median, or if their intervals
/// overlap and its median is within 2 %. Without the second limit, the noisiest candidate would be tied with
/// everything.
bool is_tied(const Timing& fastest, const Timing& other);

/// Only the first of these conditions: such medians count as equal, however narrow their intervals are.
bool is_always_tied(const Timing& fastest, const Timing& other);

}  // namespace gemmtune
