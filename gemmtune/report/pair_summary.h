// How two backends compare over all shapes that both have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/report/comparison.h"

namespace gemmtune {

/// Speed-ups of the first backend over the second: 2 if it takes half the time.
struct PairSummary {
  std::string first{};
  std::string second{};
  std::size_t shapes{};  // shapes that both backends have
  std::size_t faster{};
  std::size_t slower{};
  std::size_t tied{};
  double min{};
  double max{};
  double mean{};
  double geometric_mean{};
  const ComparedShape* min_at{};  // points into the comparison
  const ComparedShape* max_at{};
};

/// Every pair of backends that have a shape in common, each once, in the order of the comparison's backends. The
/// comparison must outlive the result.
std::vector<PairSummary> pair_summaries(const Comparison& comparison);

/// The summary of one pair. Empty if the two have no shape in common.
std::optional<PairSummary> pair_summary(const Comparison& comparison, const std::string& first,
                                        const std::string& second);

}  // namespace gemmtune
