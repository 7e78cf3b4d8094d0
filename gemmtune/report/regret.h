// Regret: how much longer the chosen kernel takes than the best known one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/report/comparison.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// 0.01 is one percent.
struct RegretSpread {
  double mean{};
  double p95{};  // 95 % of the shapes have at most this
  double worst{};
};

/// All zeros for an empty list.
RegretSpread regret_spread(std::vector<double> regrets);

/// The regret of always taking this backend's best kernel, over the shapes that it can do.
struct BackendRegret {
  std::string backend{};
  std::size_t shapes{};
  RegretSpread regret{};
};

std::vector<BackendRegret> backend_regrets(const Comparison& comparison);

/// The regret if every search had been stopped after this share of its shape's cost: of the best candidate that it
/// had met by then, judged by the final time of each candidate.
struct SearchRegret {
  double share{};  // of a shape's cost, 0 to 1
  std::size_t shapes{};
  RegretSpread regret{};
};

/// Takes trials in the order in which they were made, of shapes with at least two right candidates. The curve begins
/// when each search has met a right candidate.
std::vector<SearchRegret> search_regrets(std::span<const Trial> trials);

}  // namespace gemmtune
