// Regret and cost of a search over many runs.
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
  std::int64_t without_winner{};  // these runs are left out of the regrets
  double mean_regret{};
  double p95_regret{};
  double worst_regret{};
  double device_s{};                      // for each shape once: the mean over the repeats
  double overhead_s{};                    // likewise
  double looked_at{};                     // candidates tried, as a share of all
  std::optional<double> stated_regret{};  // the mean of all claims; nothing where none was made
  std::optional<double> held{};           // the share of claims that held
};

/// The scores of each search over all shapes, in the order of the options.
std::vector<SearchScore> scores(const Replay& replay);

/// The same for one shape.
std::vector<SearchScore> scores(const Replay& replay, const ReplayedShape& shape);

/// {"repeats", "seed", "searches": [score…], "shapes": [{"problem", "device", "candidates", "best_us",
/// "searches"}…]}; scores with the members of SearchScore.
nlohmann::json replay_json(const Replay& replay);

}  // namespace gemmtune
