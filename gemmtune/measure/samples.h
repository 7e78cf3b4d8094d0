// Times of one launch, and how they came about.
#pragma once

#include <cstddef>
#include <vector>

namespace gemmtune {

/// Samples of one turn follow each other, and share what the machine did meanwhile: a GPU that its power limits keeps a
/// clock for tenths of a second, so that eight samples in two turns may tell no more than two.
struct Samples {
  std::vector<double> us{};          // in the order they were taken
  std::vector<std::size_t> turns{};  // how many each turn took; empty: nothing is known of turns
};

/// How many samples that know nothing of each other would tell as much of the median: as many as there are, unless
/// those of a turn lie on one side of it more often than by chance. At least the number of turns.
double independent_count(const Samples& samples);

}  // namespace gemmtune
