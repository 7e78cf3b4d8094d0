// How sure the times of candidates are that were timed interleaved, judged by all of their turns together.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// The standard deviation of a time's logarithm that its 95 % interval stands for.
double log_deviation(const Timing& timing);

/// The same for each of these evaluations, which were timed together in turns. Two turns of one candidate may agree by
/// chance, so that its interval is far too narrow; the turns of all candidates together show how turns differ. Beyond
/// what all candidates have in common in a round of turns, each candidate's turns count, and those of all candidates as
/// much as four of them. It is never less than if all samples were independent. Evaluations that keep no samples have
/// the deviation of their interval.
std::vector<double> log_deviations(std::span<const Evaluation> together);

}  // namespace gemmtune
