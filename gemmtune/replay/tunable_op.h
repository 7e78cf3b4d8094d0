// The rule by which PyTorch's TunableOp tunes, to compare with: one candidate after the other, 3 runs, dropped at 1.5
// times the best mean so far; 10 runs, dropped at 1.15 times; then up to 100 runs or 30 ms. The least mean wins.
#pragma once

#include <cstdint>

#include "gemmtune/replay/replay.h"

namespace gemmtune {

/// All runs are drawn from what confirming recorded: the steady state that the rule supposes.
SearchRun tunable_op(const RecordedShape& shape, std::uint64_t seed);

}  // namespace gemmtune
