// The checks of a finalist before and after it is timed in turns with others.
#pragma once

#include "gemmtune/evaluate/stages.h"

namespace gemmtune {

/// Equips the attempt and checks it on several operand sets. Whether it is to be timed: it is right, or it is
/// inaccurate and nothing worse, and then still counts as wrong.
[[nodiscard]] bool check_before_timing(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt);

/// Checks the attempt on other operand sets, and with operands whose sign changes in place. If it is wrong, its times
/// are dropped.
void check_after_timing(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt);

/// The packed weights and workspaces of candidates that are timed together may take this share of the memory: a third.
std::size_t memory_for_finalists(const Device& device);

}  // namespace gemmtune
