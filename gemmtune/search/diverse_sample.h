// Which candidates to look at before anything is known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The first of all, then the families by turns, in their own order: indices, `count` of them or all.
std::vector<std::size_t> first_of_each_family(std::span<const Candidate> candidates, std::size_t count);

/// `chosen`, and more until there are `count`: each is the one that is least like those before it (most parameters
/// differ from the nearest; another family is the farthest), the first of equals.
std::vector<std::size_t> most_diverse(std::span<const Candidate> candidates, std::vector<std::size_t> chosen,
                                      std::size_t count);

}  // namespace gemmtune
