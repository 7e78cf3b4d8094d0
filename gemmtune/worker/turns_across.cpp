#include "gemmtune/worker/turns_across.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/turns.h"
#include "gemmtune/measure/sampler.h"
#include "gemmtune/worker/audit.h"
#include "gemmtune/worker/conversation.h"

namespace gemmtune {
namespace {

/// Of later turns, this share is judged, as in one process (evaluate/turns.cpp).
constexpr std::uint64_t later_turns_for_each_judged = 4;

/// A GPU at its power limit is faster after a rest. So it must not rest between the turns of different processes: when
/// a turn has ended, its launches go on for as long as the next process may need to begin. Both then share the GPU for
/// a moment, in the load with which a turn of long launches begins (measure/sampler.cpp). Short launches are not
/// limited by power.
constexpr double bridge_us = 4'000;
constexpr double most_launches_of_bridge = 128;

struct Finalist {
  Steps* steps{};
  HeldCandidate held{};
  std::optional<Evaluation> failure{};  // in one of its turns
  double clock_mhz{};
  bool throttled{};
  double launch_us{};  // roughly; 0 before its first launch
};

/// Sorts the answers to a hold request.
class Holder final : public HoldObserver {
 public:
  explicit Holder(EvaluationObserver& observer) : observer_(observer) {}

  void started(const Candidate& candidate) override { observer_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override { observer_.evaluated(evaluation); }
  void held(const HeldCandidate& candidate) override { held_.push_back(candidate); }
  void postponed(const Candidate& candidate) override { postponed_.push_back(candidate); }

  const std::vector<HeldCandidate>& held() const { return held_; }
  const std::vector<Candidate>& postponed() const { return postponed_; }

 private:
  EvaluationObserver& observer_;
  std::vector<HeldCandidate> held_;
  std::vector<Candidate> postponed_;
};

class SettledKeeper final : public EvaluationObserver {
 public:
  explicit SettledKeeper(EvaluationObserver& observer) : observer_(observer) {}

  void started(const Candidate& candidate) override { observer_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override { settled_.insert_or_assign(evaluation.candidate, evaluation); }

  const std::map<Candidate, Evaluation>& settled() const { return settled_; }

 private:
  EvaluationObserver& observer_;
  std::map<Candidate, Evaluation> settled_;
};

/// A timer whose launches run in the process of the finalist whose turn it is. After a failure it returns samples so
/// long that the stop rule ends the sampling.
class AcrossTimer final : public Timer {
 public:
  AcrossTimer(const TurnsAcross& turns, std::vector<Finalist>& finalists)
      : turns_(turns), finalists_(finalists), random_(turns.policy.seed), had_a_turn_(finalists.size()) {}

  void give_turn_that_is_not_counted(std::size_t finalist) {
    current_ = finalist;
    next_ = {};
  }

  /// The first turn of each finalist is judged, and some of the later ones, which are drawn.
  void give_turn(std::size_t finalist) {
    current_ = finalist;
    const bool is_first = !had_a_turn_[finalist];
    had_a_turn_[finalist] = true;
    const bool is_judged = is_first || random_() % later_turns_for_each_judged == 0;
    next_ = {.outputs = is_judged ? Outputs::judged : Outputs::ignored};
  }

  /// The process that is lost, if one is.
  const Steps* lost() const { return lost_; }

  std::vector<double> time_us(const Launch& /*launch*/, std::int64_t /*first*/, std::int64_t count) override {
    auto request = std::exchange(next_, {});
    request.count = count;
    return taken(request);
  }

  /// The launches run in the request that asks for the samples, and these follow without a pause. Only before it is
  /// known how long a launch takes, they run at once.
  double warm_up(const Launch& /*launch*/, std::int64_t /*first*/, std::int64_t count) override {
    if (finalists_[current_].launch_us > 0) {
      next_.warmup += count;
      return finalists_[current_].launch_us;
    }
    const auto times = taken({.count = count});
    next_.warmup = 1;
    return times.back();
  }

 private:
  /// Launches of the current finalist after its turn.
  std::int64_t launches_of_bridge() const {
    const double launch_us = finalists_[current_].launch_us;
    if (turns_.device == DeviceKind::cpu || launch_us <= 0) return 0;
    return static_cast<std::int64_t>(std::min(bridge_us / launch_us, most_launches_of_bridge));
  }

  std::vector<double> taken(TurnRequest request) {
    request.after = launches_of_bridge();
    auto& finalist = finalists_[current_];
    std::vector<double> endless(static_cast<std::size_t>(request.count), std::numeric_limits<double>::infinity());
    if (turns_.interrupted || lost_ != nullptr || finalist.failure) return endless;
    auto result = finalist.steps->sample(finalist.held.candidate, request);
    if (auto* turn = std::get_if<Turn>(&result)) {
      finalist.clock_mhz = turn->clock_mhz;
      finalist.throttled = finalist.throttled || turn->throttled;
      if (!turn->samples_us.empty()) finalist.launch_us = turn->samples_us.back();
      return std::move(turn->samples_us);
    }
    auto& failure = std::get<TurnFailure>(result);
    if (failure.process == Process::lost) lost_ = finalist.steps;
    if (failure.evaluation.outcome != Outcome::ok) finalist.failure = std::move(failure.evaluation);
    return endless;
  }

  const TurnsAcross& turns_;
  std::vector<Finalist>& finalists_;
  std::mt19937_64 random_;
  std::vector<bool> had_a_turn_;
  std::size_t current_{};
  TurnRequest next_{};
  const Steps* lost_{};
};

class Confirmation {
 public:
  Confirmation(const TurnsAcross& turns, std::vector<ProcessShare> shares, EvaluationObserver& observer)
      : turns_(turns), shares_(std::move(shares)), observer_(observer) {}

  void run() {
    while (is_wanted() && !turns_.interrupted) {
      confirm_some();
      for (const auto& share : shares_) share.steps->release();
    }
  }

 private:
  bool is_wanted() const {
    return std::ranges::any_of(shares_, [](const ProcessShare& share) { return !share.candidates.empty(); });
  }

  void confirm_some() {
    hold();
    if (turns_.interrupted) return;
    if (finalists_.empty()) {
      for (auto& share : shares_) give_up(share, "the worker postponed all of its candidates");
      return;
    }
    if (!take_turns()) return begin_anew();
    if (!settle()) return begin_anew();
    for (const auto& evaluation : results_) observer_.evaluated(evaluation);
  }

  /// Of each share, the candidates that do not fit remain.
  void hold() {
    finalists_.clear();
    results_.clear();
    const double memory_share = 1.0 / static_cast<double>(shares_.size());
    for (auto& share : shares_) {
      if (share.candidates.empty()) continue;
      Holder holder(observer_);
      share.steps->hold({turns_.problem, share.candidates, turns_.policy, memory_share}, holder);
      if (turns_.interrupted) return;
      for (const auto& held : holder.held()) finalists_.push_back({.steps = share.steps, .held = held});
      share.candidates = holder.postponed();
    }
  }

  /// False when a process is lost.
  bool take_turns() {
    AcrossTimer timer(turns_, finalists_);
    const std::vector<Timer::Launch> launches(finalists_.size());
    const auto clock = clock_of(turns_.device);
    if (clock == Clock::load)
      run_in_turns(timer, launches, settling_us(turns_.policy.measure),
                   [&](std::size_t i) { timer.give_turn_that_is_not_counted(i); });
    const auto give_turn = [&](std::size_t i) {
      observer_.started(finalists_[i].held.candidate);
      timer.give_turn(i);
    };
    samples_ = sample_interleaved(timer, launches, turns_.policy.measure, clock, give_turn);
    lost_ = timer.lost();
    return lost_ == nullptr;
  }

  bool settle() {
    for (const auto& share : shares_) {
      std::vector<Candidate> candidates;
      for (const auto& finalist : finalists_)
        if (finalist.steps == share.steps && !finalist.failure) candidates.push_back(finalist.held.candidate);
      if (candidates.empty() || turns_.interrupted) continue;
      SettledKeeper keeper(observer_);
      const auto process = share.steps->settle(candidates, keeper);
      note(keeper.settled(), process);
      if (process == Process::lost) {
        lost_ = share.steps;
        return false;
      }
    }
    for (const auto& finalist : finalists_)
      if (finalist.failure) results_.push_back(*finalist.failure);
    return !turns_.interrupted;
  }

  void note(const std::map<Candidate, Evaluation>& settled, Process process) {
    for (std::size_t i = 0; i < finalists_.size(); ++i) {
      auto& finalist = finalists_[i];
      const auto found = settled.find(finalist.held.candidate);
      if (found == settled.end()) continue;
      const bool is_culprit = process == Process::lost && found->second.outcome != Outcome::ok;
      if (is_culprit)
        finalist.failure = found->second;
      else
        results_.push_back(joined(found->second, finalist, samples_[i]));
    }
  }

  /// The candidates of a process that are still wanted get no further.
  void give_up(ProcessShare& share, const char* why) {
    for (const auto& candidate : std::exchange(share.candidates, {}))
      observer_.evaluated(
          {.candidate = candidate, .stage = Stage::confirm, .outcome = Outcome::crashed, .reason = why});
  }

  /// The candidates that have not failed are wanted again. One that failed has its outcome.
  void begin_anew() {
    if (turns_.interrupted) return;
    const bool has_culprit =
        std::ranges::any_of(finalists_, [](const Finalist& finalist) { return finalist.failure.has_value(); });
    unexplained_ = has_culprit ? 0 : unexplained_ + 1;
    for (const auto& finalist : finalists_) {
      if (finalist.failure) {
        observer_.evaluated(*finalist.failure);
        continue;
      }
      const auto share = std::ranges::find(shares_, finalist.steps, &ProcessShare::steps);
      share->candidates.push_back(finalist.held.candidate);
    }
    if (unexplained_ < most_unexplained) return;
    give_up(*std::ranges::find(shares_, lost_, &ProcessShare::steps),
            "the worker ended again and again while it held candidates");
    unexplained_ = 0;
  }

  /// What the worker says of the result, with the times that were taken here.
  Evaluation joined(Evaluation evaluation, const Finalist& finalist, const Samples& samples) const {
    const auto& held = finalist.held;
    if (!held.flaw.empty() && evaluation.outcome == Outcome::ok) {
      evaluation.outcome = Outcome::wrong_result;
      evaluation.reason = held.flaw;
    }
    const bool is_timed =
        evaluation.outcome == Outcome::ok || (evaluation.outcome == Outcome::wrong_result && !held.flaw.empty());
    if (is_timed) evaluation.timing = summarise(samples, true);
    evaluation.timing.workspace_bytes = held.workspace_bytes;
    evaluation.timing.packed_bytes = held.packed_bytes;
    evaluation.timing.pack_us = held.pack_us;
    evaluation.timing.clock_mhz = is_timed ? finalist.clock_mhz : 0;
    evaluation.timing.throttled = is_timed && finalist.throttled;
    try {
      return audited(evaluation, {turns_.problem, turns_.policy});
    } catch (const Error& error) {
      return {.candidate = held.candidate,
              .stage = Stage::confirm,
              .outcome = Outcome::crashed,
              .reason = broke_the_protocol(error.what())};
    }
  }

  static constexpr int most_unexplained = 3;

  const TurnsAcross& turns_;
  std::vector<ProcessShare> shares_;
  EvaluationObserver& observer_;
  const Steps* lost_{};  // the process that is lost
  int unexplained_{};    // losses of a process in a row with no candidate to charge
  std::vector<Finalist> finalists_;
  std::vector<Samples> samples_;
  std::vector<Evaluation> results_;
};

}  // namespace

void confirm_across(const TurnsAcross& turns, std::vector<ProcessShare> shares, EvaluationObserver& observer) {
  Confirmation(turns, std::move(shares), observer).run();
}

}  // namespace gemmtune
