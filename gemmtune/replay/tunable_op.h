// The rule of PyTorch's TunableOp, for comparison. It takes one candidate after the other: 3 runs, and drops it at 1.5
// times the best mean so far; 10 runs, and drops it at 1.15 times; then up to 100 runs or 30 ms. The least mean wins.
#pragma once

#include <cstdint>

#include "gemmtune/replay/replay.h"

namespace gemmtune {

/// All runs are drawn from the samples of confirmations, since the rule supposes a steady state.
SearchRun tunable_op(const RecordedShape& shape, std::uint64_t seed);

}  // namespace gemmtune
