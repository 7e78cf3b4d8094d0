// AITER's padding rule: if a table has no row for M, a lookup tries M rounded up, first in fine and then in coarse
// steps. The rule is exactly AITER's, so that a table gives the same kernels here as in AITER.
#pragma once

#include <cstdint>

namespace gemmtune {

/// Rounds up to a multiple of 16 (M <= 256), 32 (<= 1024), 64 (<= 4096) or 128. AITER's getPaddedM with gl = 0.
std::int64_t padded_fine(std::int64_t m);

/// Rounds up to a power of two, but *down* to 8192 if M > 8192 and N > 4096. AITER's getPaddedM with gl = 1.
std::int64_t padded_coarse(std::int64_t m, std::int64_t n);

}  // namespace gemmtune
