// The command that runs one candidate alone and in its own process, where a debugger can watch it die.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// For a POSIX shell. `program` is how the command line starts.
std::string reproducer(const std::string& program, const Problem& problem, const Candidate& candidate,
                       std::uint64_t seed);

}  // namespace gemmtune
