// Commands that run one candidate alone: once, for example under a debugger, or many times.
#pragma once

#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// The command that repeats the evaluation at its stage and with its operands, quoted for a POSIX shell. `program` is
/// its first word.
std::string reproducer(const std::string& program, const Problem& problem, const Evaluation& evaluation);

/// The command that launches the candidate often enough to show faults that are seldom. Quoted likewise.
std::string stress_command(const std::string& program, const Problem& problem, const Candidate& candidate);

}  // namespace gemmtune
