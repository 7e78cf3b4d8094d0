// A search that tries only some candidates and states the regret it may have: screening led by a forecast, then a race
// in interleaved rounds, then confirmations until the regret is small enough, and proof. It sees samples and never the
// clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "gemmtune/search/standings.h"
#include "gemmtune/search/strategy.h"

namespace gemmtune {

struct RaceRules {
  double regret{usual_regret};  // confirming goes on until the stated regret is at most this
  double gain{0.01};            // screening goes on while the candidates not seen yet may hold one faster by this
  double probability{0.95};     // of the claim; half of what is left of it is for candidates never seen
  std::size_t first_wave{24};   // screened before there is a forecast: as many are all looked at
  std::size_t recommended{6};   // and so many more, the fastest on shapes near by
  std::size_t wave{12};         // screened at a time after that
  std::size_t likely{36};       // and so many are named as the likely next ones
  double drawn{0.1};            // the share of the candidates screened that are drawn at random
  double drop{0.002};           // whoever is fastest with less than this chance drops out of the race
  std::vector<std::int64_t> rounds{8, 16};  // samples of each candidate
  std::size_t field{40};                    // of a race, at most
  std::size_t finalists{6};                 // confirmed together, and the default choice
  std::size_t rivals{12};                   // of the winner, at most, that are confirmed again with it
  std::size_t confirmations{6};             // at most, however large the regret is
};

class RaceStrategy final : public Strategy {
 public:
  explicit RaceStrategy(std::vector<Candidate> candidates, RaceRules rules = {}, const Hearsay& hearsay = {});

  std::string_view name() const override { return "race"; }
  Batch ask() override;
  void tell(const Evaluation& evaluation) override;
  std::vector<Candidate> likely_next() const override;
  bool states_regret() const override { return true; }
  std::optional<RegretClaim> claim() const override;

 private:
  using Indices = std::vector<std::size_t>;

  Batch hand_out(Batch batch, Indices indices);
  Batch hand_out_timed(Batch batch, Indices indices);
  void settle_batch();
  void settle_proof();

  Indices next_wave();
  Indices first_wave() const;
  Indices promising();
  Indices drawn_at_random();

  bool must_race() const;
  Batch race_batch();
  Indices field() const;
  void narrow_field();
  Indices take_finalists();
  std::vector<Evaluation> finals() const;
  std::optional<std::size_t> leader() const;
  Indices to_confirm_again() const;
  bool is_near(std::size_t one, std::size_t winner) const;
  Batch prove_batch();

  std::vector<Candidate> candidates_;
  RaceRules rules_;
  Indices recommended_;
  Standings standings_;
  Indices likely_{};  // candidates of later waves, as it looks now
  bool screening_{true};
  Indices field_{};           // of the race under way; empty: none is
  std::size_t round_{};       // the next one; later races, of those behind a winner that was disproved, have none left
  std::int64_t placement_{};  // of the next batch that is timed interleaved
  std::size_t drawn_{};       // candidates drawn at random
  std::mt19937_64 engine_{};
  bool disproved_{};              // some winner was
  bool default_is_inaccurate_{};  // and to be timed beside the others all the same
  std::optional<std::size_t> winner_{};
  bool over_{};

  Batch batch_{};                      // the last one
  Indices asked_{};                    // its candidates
  std::vector<Evaluation> answers_{};  // so far
  std::vector<std::vector<Evaluation>> confirmations_{};
};

}  // namespace gemmtune
