// A rough estimate of how long a tile takes for a problem, to leave hopeless tiles out of a search. It knows rounds of
// tiles, the shared memory's bandwidth and the exchange of sums, but no clock rates, no caches and no latencies.
#pragma once

#include "gemmtune/families/fp8_block/block_gemm.h"

namespace gemmtune {

/// In clocks of a multiprocessor. The tile must be one for which why_no_block_gemm() finds nothing.
double block_clocks(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors);

}  // namespace gemmtune
