// The command that runs one candidate alone and in its own process, for example under a debugger.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The command, quoted for a POSIX shell. `program` is its first word.
std::string reproducer(const std::string& program, const Problem& problem, const Candidate& candidate,
                       std::uint64_t seed);

}  // namespace gemmtune
