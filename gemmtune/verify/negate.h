// Changes the sign of a stored tensor in place. verify/negation.h says how the words of each type change.
#pragma once

#include <cstddef>
#include <span>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/verify/negation.h"

namespace gemmtune {

/// Whether each stored value has a negative: not so for int4, whose operands contain -8.
bool can_negate(DType type);

/// Throws Error{internal} for types that hold no matrix elements, and for those that cannot be negated.
Negation negation_of(DType type);

/// A tensor in host memory. Gaps of its layout change too, and hold what they held after a second call.
void negate(DType type, std::span<std::byte> stored);

}  // namespace gemmtune
