// Regret: how much longer the chosen kernel takes than the best known one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/report/comparison.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// The distribution of regrets over shapes. A regret of 0.01 is one percent.
struct RegretSpread {
  double mean{};
  double p95{};  // 95 % of the shapes have at most this regret
  double worst{};
};

/// The distribution of these regrets. For an empty list, all its numbers are 0.
RegretSpread regret_spread(std::vector<double> regrets);

/// The regret of always taking this backend's best kernel, over the shapes that it can do.
struct BackendRegret {
  std::string backend{};
  std::size_t shapes{};
  RegretSpread regret{};
};

std::vector<BackendRegret> backend_regrets(const Comparison& comparison);

/// The regret if every search had been stopped after this share of its shape's cost. It is that of the best candidate
/// that the search had tried by then, judged by the final time of each candidate.
struct SearchRegret {
  double share{};  // share of a shape's cost, 0 to 1
  std::size_t shapes{};
  RegretSpread regret{};
};

/// Takes the trials of shapes with at least two right candidates, in the order in which they were made. The curve
/// begins when every search has tried a right candidate.
std::vector<SearchRegret> search_regrets(std::span<const Trial> trials);

}  // namespace gemmtune
