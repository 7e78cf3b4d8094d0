// Joins what several confirmations say of the same candidates. Each had its own placement of operands and its own
// clock; samples of one of them, however many, show neither.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// The standard deviation of an interleaved evaluation beside what its samples show, as a share: as long as nothing is
/// known, and at least. Even interleaved kernels are not treated alike: power goes to whoever runs.
inline constexpr double usual_deviation_of_placement = 0.007;
inline constexpr double least_deviation_of_placement = 0.002;

/// What these changes have in common: the mean of their middle half, because some candidates may have been disturbed. 0
/// for none.
double common_change(std::vector<double> changes);

/// A change of a candidate's logarithm of time between two interleaved evaluations, beyond what all candidates share.
struct Change {
  double log_time{};
  double variance{};  // that the samples of the two explain
};

/// The standard deviation of an evaluation beside what its samples explain, from the changes seen, of which as many as
/// `clocks` were used up to learn what candidates share. Few changes count for little beside the usual deviation. The
/// largest ones are cut off: other programs may have disturbed a few evaluations, and these scatter themselves. A
/// change that its samples explain more than fully does not make up for others.
double deviation_of_placement(std::span<const Change> changes, std::size_t clocks);

/// One evaluation of each candidate that was timed, in the order in which they first appear. `confirmations` are in
/// their order, of evaluations at stage confirm; a candidate may be missing in some.
///   - What all candidates of a confirmation have in common is attributed to the clock, and the time of each candidate
///     is given for the mean clock of all confirmations.
///   - The median is the geometric mean of the medians: each placement counts alike, however many samples it took.
///   - The interval holds the deviation of placements too, as the changes of all candidates show it.
///   - Samples, turns and costs are those of all confirmations; the outcome is the first failure, if there is one.
/// Where no candidate was confirmed twice, nothing is known of placements, and the evaluations are returned as they
/// are.
std::vector<Evaluation> pooled(std::span<const std::vector<Evaluation>> confirmations);

}  // namespace gemmtune
