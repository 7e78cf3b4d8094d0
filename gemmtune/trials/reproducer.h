// Commands that run one candidate alone: once, for example under a debugger, or many times.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The command, quoted for a POSIX shell. `program` is its first word.
std::string reproducer(const std::string& program, const Problem& problem, const Candidate& candidate,
                       std::uint64_t seed);

/// The command that launches the candidate often enough to show faults that are seldom. Quoted likewise.
std::string stress_command(const std::string& program, const Problem& problem, const Candidate& candidate);

}  // namespace gemmtune
