// Launches that follow each other on a stream without waiting: this shows faults of kernels that start before the
// kernels before them have ended.
#pragma once

#include <string>

#include "tests/families/check/family_check.h"

namespace gemmtune::check {

/// Launches a problem of MXFP4, or of activations that the call quantises, many times in one workspace. Each launch has
/// its own C and its own activations, some of whose rows spread over many binades if they are MXFP4. The launches are
/// queued one behind the other, and replayed as the timer's graph. Each must write bit for bit what it writes when it
/// runs alone. Returns "" or what is wrong.
std::string why_back_to_back_wrong(const KernelFamily& family, const Case& one, const Candidate& candidate);

}  // namespace gemmtune::check
