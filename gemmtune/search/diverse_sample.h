// Chooses the candidates to look at first, before any time is known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The first candidate of each family, then the second of each, and so on, in the order in which the families appear.
/// Returns the indices of `count` candidates, or of all if there are fewer.
std::vector<std::size_t> first_of_each_family(std::span<const Candidate> candidates, std::size_t count);

/// Extends `chosen` to `count` candidates. Each added candidate is the one that differs most from all chosen before it:
/// in the most parameters from its nearest, where another family is farthest of all. Among equals the first is taken.
std::vector<std::size_t> most_diverse(std::span<const Candidate> candidates, std::vector<std::size_t> chosen,
                                      std::size_t count);

}  // namespace gemmtune
