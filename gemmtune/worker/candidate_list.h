// The candidates that a worker lists. Their names go to terminals, logs and tables, and back to the worker, so a name
// that cannot be printed as it is costs the candidate.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

struct ListedCandidate {
  Candidate candidate{};       // with printable texts, whatever the worker sent
  std::string why_unusable{};  // "candidates[3].name: …", or "" for a candidate that can be asked for
};

/// Reads a reply to `candidates`. Throws Error{protocol} when it is no such reply, or names a candidate twice.
std::vector<ListedCandidate> listed_candidates(const nlohmann::json& reply);

}  // namespace gemmtune
