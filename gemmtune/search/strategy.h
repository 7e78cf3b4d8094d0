// What to try next. A strategy is asked for batches and told what came of them; it never runs anything, so it is tested
// without a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/search/neighbours.h"
#include "gemmtune/space/candidate.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// Candidates to evaluate together at one stage. Empty: the search is over.
struct Batch {
  Stage stage{Stage::screen};
  std::vector<Candidate> candidates{};
  std::int64_t samples{};  // that are taken of each, of a round of a race; 0: what the stage's policy wants

  bool empty() const { return candidates.empty(); }
};

/// Some candidate may be faster than the one chosen, but with this probability none is by more than this share of its
/// time.
struct RegretClaim {
  double regret{};
  double probability{};

  bool operator==(const RegretClaim&) const = default;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual std::string_view name() const = 0;

  /// The next batch. Everything of the last one has been told before.
  virtual Batch ask() = 0;
  virtual void tell(const Evaluation& evaluation) = 0;

  /// What it can say of its winner once it is over. Most strategies make no claim.
  virtual std::optional<RegretClaim> claim() const { return std::nullopt; }
};

/// "race" (the default), "screen" or "exhaustive". Throws Error{usage} that lists the names. The first candidate is
/// what users have without tuning: when screening finds it right, or merely inaccurate, it is in the first batch to be
/// confirmed, so that there is a comparison.
///   screen: all candidates with few samples, the best 20 (within twice the best's time) confirmed in one interleaved
///   batch (the next 20 if none of them is
///     right), then the winner proved against adversarial operands; if it fails there, the next best.
///   race: screening goes on only while a candidate that it has not seen may be the fastest, as far as the others tell;
///     then interleaved rounds of few samples, after each of which the clearly slower drop out; the last few are
///     confirmed, and the winner is proved. Says how much faster than the winner the fastest may be. Led by what other
///     shapes' trials say of the candidates; the other searches do not listen to that.
///   exhaustive: every candidate that screening found right is confirmed, in interleaved batches of 20.
std::unique_ptr<Strategy> make_strategy(std::string_view name, std::vector<Candidate> candidates,
                                        const Hearsay& hearsay = {});

std::vector<std::string> strategy_names();

}  // namespace gemmtune
