// What the noise of the times means for the results of a run, in words.
#pragma once

#include <span>
#include <string>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Whether the winner's time has an interval. Without one (a single sample, or samples that are all equal) nothing is
/// known of how far it may be off, and a regret that is stated for it would mean nothing.
bool has_error_bar(const ShapeResult& result);

/// Whether a stated regret above the claim's target is mostly due to the intervals of the times that were confirmed.
/// Otherwise it is due to candidates that were not tried, or hardly.
bool is_regret_of_noise(const ShapeResult& result);

/// Lines for the summary: many times scatter, regrets are wide for that reason, or not known at all. "" when there is
/// nothing to remark.
std::string noise_lines(std::span<const ShapeResult> results);

}  // namespace gemmtune
