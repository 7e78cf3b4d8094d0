// Who is fastest, and who cannot be told apart from the fastest.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct Ranking {
  std::vector<std::size_t> order{};  // indices of the ok evaluations, winner first
  std::vector<std::size_t> tied{};   // those whose interval overlaps the fastest's, or whose median is within 0.5 % of it
};

/// By median; among those tied with the fastest the one with the least workspace and packed bytes wins, then the least
/// split_k, then the name. The same every time, whatever order they came in.
Ranking rank(std::span<const Evaluation> evaluations);

/// The name of the tie rule, for reports: "least memory, then least split_k, then name".
const char* tie_rule();

}  // namespace gemmtune
