// Samples of the time of one launch, and the turns in which they were taken.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gemmtune {

/// The samples of one turn are taken one right after the other, so they share the state of the machine. A GPU at its
/// power limit keeps one clock for tenths of a second: eight samples in two turns may then tell no more than two do.
struct Samples {
  std::vector<double> us{};          // microseconds, in the order in which they were taken
  std::vector<std::size_t> turns{};  // the number of samples of each turn; empty: all are of one turn

  bool operator==(const Samples&) const = default;
};

/// The samples of each turn; all of them as one turn where the turns are not known. Valid as long as the samples are.
std::vector<std::span<const double>> turns_of(const Samples& samples);

/// How many samples that know nothing of each other would tell as much of the median: as many as there are, unless
/// those of a turn lie on one side of it more often than by chance. At least the number of turns. The samples of a
/// single turn count as one, because nothing shows what they have in common.
double independent_count(const Samples& samples);

}  // namespace gemmtune
