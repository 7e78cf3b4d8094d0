// How two backends compare over all shapes that both have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/report/comparison.h"

namespace gemmtune {

/// Speed-ups are those of the first over the second: 2 where it takes half the time.
struct PairSummary {
  std::string first{};
  std::string second{};
  std::size_t shapes{};  // that both have
  std::size_t faster{};
  std::size_t slower{};
  std::size_t tied{};
  double min{};
  double max{};
  double mean{};
  double geometric_mean{};
  const ComparedShape* min_at{};  // in the comparison
  const ComparedShape* max_at{};
};

/// Every pair that has a shape in common, each once, in the order of the comparison's backends. The comparison must
/// outlive them.
std::vector<PairSummary> pair_summaries(const Comparison& comparison);

/// Of one pair; nothing when they have no shape in common.
std::optional<PairSummary> pair_summary(const Comparison& comparison, const std::string& first,
                                        const std::string& second);

}  // namespace gemmtune
