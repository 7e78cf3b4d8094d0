// When two times cannot be told apart: the one rule for winners and for reports.
#pragma once

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// Tied with the fastest is what has a median within 0.5 % of its median, or an interval that overlaps its interval and
/// a median within 2 %: without that limit, the noisiest would be tied with everything.
bool is_tied(const Timing& fastest, const Timing& other);

/// The former alone: such medians are the same however sure they are.
bool is_always_tied(const Timing& fastest, const Timing& other);

}  // namespace gemmtune
