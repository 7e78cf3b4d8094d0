// Tells evaluations that can be from those that cannot. Evaluations come from other programs and from files, and what
// wins a table must not win by a number that no measurement gives.
//
// Not: whether the summary of the times follows from the samples, and what a worker must send (worker/audit.h).
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// Every time of a launch lies between these: a nanosecond and a day.
inline constexpr double shortest_time_us = 1e-3;
inline constexpr double longest_time_us = 86'400e6;

/// More than any device has (1 PiB). Sums of a few such sizes do not overflow.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

/// Why the evaluation contradicts itself, its problem or the limits that it was verified with, or "". The reason names
/// the field, what was found and what was expected. It holds nothing of the evaluation's own texts.
std::string why_implausible(const Evaluation& evaluation, const Problem& problem, const VerifyPolicy& verify);

}  // namespace gemmtune
