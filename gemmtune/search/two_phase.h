// The search of AITER's tuner: measure all candidates briefly, then the best thoroughly.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "gemmtune/search/strategy.h"

namespace gemmtune {

/// The number of finalists that are interleaved at a time.
inline constexpr std::size_t confirm_batch_size = 20;

class TwoPhaseStrategy final : public Strategy {
 public:
  /// Which of those that screening found right are confirmed.
  enum class Confirm : std::uint8_t {
    until_one_holds,  // the best 20 within twice the best's time; more only when none of those can be the winner, or
                      // when a proof failed and the remaining ones are slower than the next in line
    all,
  };

  TwoPhaseStrategy(std::vector<Candidate> candidates, Confirm which);

  std::string_view name() const override;
  Batch ask() override;
  void tell(const Evaluation& evaluation) override;

 private:
  bool must_confirm_more() const;
  bool a_faster_one_waits() const;
  Batch screen_batch();
  Batch confirm_batch();
  Batch prove_batch();
  std::size_t next_batch_size() const;
  std::size_t with_default(std::size_t count);
  Batch hand_out(Stage stage, std::vector<Candidate> candidates);
  void take(const Evaluation& evaluation);
  void queue_for_confirmation();

  Confirm which_;
  std::vector<Candidate> candidates_;
  Stage stage_{Stage::screen};     // of the last batch
  std::set<Candidate> pending_{};  // handed out, and their results not told yet
  bool screened_{};
  bool over_{};
  bool disproved_{};                      // a winner failed its proof
  bool default_is_inaccurate_{};          // and is still to be timed beside the others
  std::vector<Evaluation> right_{};       // found right by screening
  std::vector<Evaluation> to_confirm_{};  // the next batch stands at the front
  std::vector<Evaluation> contenders_{};  // confirmed as right and not disproved
};

}  // namespace gemmtune
