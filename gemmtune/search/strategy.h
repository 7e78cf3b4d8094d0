// A strategy decides which candidates to try next. It is asked for batches and told their results; it never runs
// anything itself, so it is tested without a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/search/claim.h"
#include "gemmtune/search/neighbours.h"
#include "gemmtune/space/candidate.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// Candidates to evaluate together at one stage. An empty batch ends the search.
struct Batch {
  Stage stage{Stage::screen};
  std::vector<Candidate> candidates{};
  std::int64_t samples{};    // of each candidate, in a round of a race; 0: as many as the stage's policy wants
  bool again{};              // confirms candidates that another batch timed just before: the clock has settled
  std::int64_t placement{};  // of the operands: another number is another place (space/policy.h)

  bool empty() const { return candidates.empty(); }
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual std::string_view name() const = 0;

  /// The next batch. All results of the last batch must have been told before.
  virtual Batch ask() = 0;
  virtual void tell(const Evaluation& evaluation) = 0;

  /// What the batches after the present one may ask for, the likeliest first. It may be compiled meanwhile.
  virtual std::vector<Candidate> likely_next() const { return {}; }

  /// Whether the strategy is one that states a regret when it has run to its end.
  virtual bool states_regret() const { return false; }

  /// What the strategy can state about its winner at the end. Most strategies state nothing, and none does when it was
  /// cut short.
  virtual std::optional<RegretClaim> claim() const { return std::nullopt; }
};

/// Makes the strategy "race" (the default), "screen" or "exhaustive". Throws Error{usage} that lists the names for any
/// other name. The first candidate is the default choice: what users have without tuning. If screening finds it right
/// or merely inaccurate, it is in the first batch that is confirmed, so that there is a comparison.
///   screen: screens all candidates with few samples and confirms the best 20 (within twice the best's time) in one
///     interleaved batch; the next 20 if none of them is right. Proves the winner against adversarial operands, and the
///     next best if that fails.
///   race: screens only while a candidate not seen yet may be the fastest, as forecast from the others. Then it takes
///     interleaved rounds of few samples, after each of which the clearly slower candidates drop out. It confirms the
///     last few, with their operands at two places and at more until the regret that it states is at most `regret`,
///     and proves the winner. It states how much faster than the winner the fastest candidate may be. It is the only
///     strategy that uses the times of other shapes.
///   exhaustive: confirms every candidate that screening found right, in interleaved batches of 20.
std::unique_ptr<Strategy> make_strategy(std::string_view name, std::vector<Candidate> candidates,
                                        const Hearsay& hearsay = {}, double regret = usual_regret);

std::vector<std::string> strategy_names();

}  // namespace gemmtune
