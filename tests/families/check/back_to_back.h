// Launches that follow each other on a stream, none waited for: what goes wrong where kernels start before those before
// them have ended.
#pragma once

#include <string>

#include "tests/families/check/family_check.h"

namespace gemmtune::check {

/// Launches of an MXFP4 problem in one workspace, each with activations (some of whose rows spread over many binades)
/// and C of its own: queued one behind the other, and replayed as the timer's graph, they must leave, bit for bit, what
/// each leaves alone. "" or what is wrong.
std::string why_back_to_back_wrong(const KernelFamily& family, const Case& one, const Candidate& candidate);

}  // namespace gemmtune::check
