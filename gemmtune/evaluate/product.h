// One product of a candidate, as bytes, for a supervisor that judges it.
#pragma once

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/evaluate/steps.h"
#include "gemmtune/verify/examiner.h"

namespace gemmtune {

/// Draws the operands, prepares the candidate, launches it once on a C that holds poison, and returns the rows that
/// were asked for, as the kernel wrote them. Throws Error{usage} for rows that the problem does not have or that are
/// too many (most_product_bytes), and DeviceLost.
Product product_of(const Workbench& bench, Examiner& examiner, const ProductRequest& request);

}  // namespace gemmtune
