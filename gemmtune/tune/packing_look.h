// A look, after a run, at what packing the weights ahead of time would gain. Lists say whether weights may be packed,
// and most say nothing of it: their users should hear when it matters. What is found here is neither proven nor kept.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// A shape that runs faster with packed weights, by a tenth at least: than the winner now, at the near ends of both
/// intervals, and than the time for which the winner was chosen.
struct PackingGain {
  Problem problem{};     // as it was tuned, without packed weights
  std::string kernel{};  // with packed weights
  double packed_us{};
  double unpacked_us{};  // the winner's, timed next to the packed kernel
};

/// The shapes to look at: of each layer (shapes that differ in M alone) the one whose calls take longest in all, and of
/// those the four that take longest. Left out are shapes without a winner, those whose weights may be packed, and those
/// that take less than 20 us.
std::vector<const ShapeResult*> worth_a_look_at_packing(std::span<const ShapeResult> results);

/// Screens a few packed candidates of the families that had a finalist, and times the fastest beside the winner. Takes
/// about as long as a second of the kernels.
std::vector<PackingGain> look_at_packing(Evaluator& evaluator, std::span<const ShapeResult* const> results,
                                         const TunePlan& plan, const std::atomic<bool>& stop);

}  // namespace gemmtune
