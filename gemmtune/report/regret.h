// Regret: how much longer what was chosen takes than the best that is known.
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
  double p95{};  // 95 % of the shapes have no more
  double worst{};
};

/// Of no values: zeros.
RegretSpread regret_spread(std::vector<double> regrets);

/// Always taking this backend's best kernel, over the shapes that it can do.
struct BackendRegret {
  std::string backend{};
  std::size_t shapes{};
  RegretSpread regret{};
};

std::vector<BackendRegret> backend_regrets(const Comparison& comparison);

/// Had every search been stopped after this share of its shape's cost: the best candidate that it had met by then, by
/// what it was known to take in the end.
struct SearchRegret {
  double share{};  // of a shape's cost, 0 to 1
  std::size_t shapes{};
  RegretSpread regret{};
};

/// Trials in the order in which they were made. Of shapes with two right candidates or more; begins when each of these
/// searches has met a right one.
std::vector<SearchRegret> search_regrets(std::span<const Trial> trials);

}  // namespace gemmtune
