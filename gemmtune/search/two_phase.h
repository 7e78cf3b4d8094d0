// The search of AITER's tuner: look at everything briefly, then at the best thoroughly.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "gemmtune/search/strategy.h"

namespace gemmtune {

/// How many finalists are interleaved at a time.
inline constexpr std::size_t confirm_batch_size = 20;

class TwoPhaseStrategy final : public Strategy {
 public:
  /// Which of those that screening found right are confirmed.
  enum class Confirm : std::uint8_t {
    until_one_holds,  // the best 20 within twice the best's time; the next ones only when none of them can be the
                      // winner, or when those that remain of them after a proof failed are slower
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
  std::set<Candidate> pending_{};  // handed out and not told yet
  bool screened_{};
  bool over_{};
  bool disproved_{};                      // some winner was
  bool default_is_inaccurate_{};          // and still to be timed beside the others
  std::vector<Evaluation> right_{};       // by screening
  std::vector<Evaluation> to_confirm_{};  // the next batch's at the front
  std::vector<Evaluation> contenders_{};  // confirmed as right, not disproved
};

}  // namespace gemmtune
