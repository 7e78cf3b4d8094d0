// What is known of each candidate during a race: how often it was looked at, how long it takes and how sure that is.
// Times of different rounds are brought to one scale, since a device slows down and speeds up between them. By how much
// a candidate's times differ between rounds all the same, beyond what their samples explain, is learnt from all of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gemmtune/measure/turn_scatter.h"
#include "gemmtune/search/forecast.h"
#include "gemmtune/search/strategy.h"

namespace gemmtune {

enum class Look : std::uint8_t { none, screened, raced, confirmed };

struct RaceStanding {
  Look look{Look::none};
  bool out{};  // failed, or proved wrong
  LogTime log_time{};

  bool runs() const { return look != Look::none && !out; }
};

/// P(a takes less than b's time · share).
double chance_to_beat(const LogTime& a, const LogTime& b, double share = 1.0);

class Standings {
 public:
  explicit Standings(std::span<const Candidate> candidates);

  std::size_t size() const { return standings_.size(); }
  const RaceStanding& operator[](std::size_t i) const { return standings_[i]; }

  /// Takes in what one batch came to, which are the evaluations of these candidates.
  void take(std::span<const std::size_t> candidates, std::span<const Evaluation> evaluations, Look look);

  void exclude(std::size_t i) { standings_[i].out = true; }

  /// Of those that run; nothing when none does.
  std::optional<std::size_t> fastest() const;

  /// Forecasts for those not looked at yet, from the others.
  void forecast();

  std::vector<std::size_t> not_looked_at() const;

  /// The smallest share of the winner's time by which, with this probability, nobody is faster: all that are not out
  /// count, those never looked at as they are forecast.
  double regret_bound(std::size_t winner, double probability) const;

 private:
  /// A time from one interleaved evaluation, with the deviation that its samples explain.
  struct Sighting {
    LogTime log_time{};
    double known_before{};  // how many candidates of the evaluation were: the fewer, the less sure its clock is
  };
  using Sightings = std::vector<Sighting>;

  static LogTime together(const Sightings& sightings, double placement);

  double miss_probability(std::size_t winner, double regret) const;
  std::vector<double> changes_of(std::span<const std::size_t> candidates, std::span<const Evaluation> evaluations,
                                 std::span<const TurnTime> times) const;
  void settle();

  std::vector<RaceStanding> standings_;
  std::vector<Sightings> sightings_;  // of each candidate
  std::size_t interleaved_{};         // evaluations so far
  Forecast forecast_;
};

}  // namespace gemmtune
