// Which candidates of a worker a plan wants tried, and in which order they are handed to a strategy.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Those of the plan's families; first the one that winners are compared with: the first that a library's users get
/// without tuning.
std::vector<Candidate> wanted_candidates(const TunePlan& plan, std::vector<Candidate> candidates);

/// "" or how much memory the operands need that the device does not have.
std::string why_too_large(const Problem& problem, const DeviceInfo& device);

/// Why a shape has none: what each family of the plan says.
std::string why_no_candidates(const TunePlan& plan, std::span<const FamilySupport> supports);

}  // namespace gemmtune
