#include "gemmtune/search/strategy.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/search/race.h"
#include "gemmtune/search/two_phase.h"

namespace gemmtune {

std::unique_ptr<Strategy> make_strategy(std::string_view name, std::vector<Candidate> candidates,
                                        const Hearsay& hearsay, double regret) {
  using Confirm = TwoPhaseStrategy::Confirm;
  if (name == "screen") return std::make_unique<TwoPhaseStrategy>(std::move(candidates), Confirm::until_one_holds);
  if (name == "race")
    return std::make_unique<RaceStrategy>(std::move(candidates), RaceRules{.regret = regret}, hearsay);
  if (name == "exhaustive") return std::make_unique<TwoPhaseStrategy>(std::move(candidates), Confirm::all);
  fail(ErrorCode::usage, "there is no search named '{}': expected one of {}", name, join(strategy_names(), ", "));
}

std::vector<std::string> strategy_names() { return {"race", "screen", "exhaustive"}; }

}  // namespace gemmtune
