// What many runs of a search come to: regret against cost.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/replay/replay.h"

namespace gemmtune {

struct SearchScore {
  std::string search{};
  std::int64_t runs{};
  std::int64_t without_winner{};  // left out of the regrets
  double mean_regret{};
  double p95_regret{};
  double worst_regret{};
  double device_s{};                      // for all shapes once, as the mean of the repeats
  double overhead_s{};                    // likewise
  double looked_at{};                     // candidates, as a share of those there are
  std::optional<double> stated_regret{};  // mean of those claimed; nothing where no claim was made
  std::optional<double> held{};           // the share of claims that held
};

/// Each search's over all shapes, in the order of the options.
std::vector<SearchScore> scores(const Replay& replay);

/// Of one shape.
std::vector<SearchScore> scores(const Replay& replay, const ReplayedShape& shape);

/// {"repeats", "seed", "searches": [score…], "shapes": [{"problem", "device", "candidates", "best_us",
/// "searches"}…]}; scores with the members of SearchScore.
nlohmann::json replay_json(const Replay& replay);

}  // namespace gemmtune
