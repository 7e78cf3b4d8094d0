// The command that runs one candidate alone and in its own process, for example under a debugger.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// Quoted for a POSIX shell. `program` is the first word of the command line.
std::string reproducer(const std::string& program, const Problem& problem, const Candidate& candidate,
                       std::uint64_t seed);

}  // namespace gemmtune
