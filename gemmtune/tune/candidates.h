// Selects the candidates that a plan tries, and the order in which a strategy gets them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// The candidates of the plan's families. The first one is the default choice, which winners are compared with: the
/// first candidate that users of a library get without tuning.
std::vector<Candidate> wanted_candidates(const TunePlan& plan, std::vector<Candidate> candidates);

/// "", or a message that says how much memory the operands need and how much the device has.
std::string why_too_large(const Problem& problem, const DeviceInfo& device);

/// Why a shape has no candidates: the reason that each family of the plan gives.
std::string why_no_candidates(const TunePlan& plan, std::span<const FamilySupport> supports);

}  // namespace gemmtune
