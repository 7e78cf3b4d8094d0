#include "gemmtune/evaluate/turns.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "gemmtune/evaluate/witness.h"
#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

/// The device's timer, as long as the attempt whose turn it is has not failed and nobody interrupts. After that it
/// launches nothing more and returns samples so long that the stop rule ends the sampling.
class TurnTimer final : public Timer {
 public:
  TurnTimer(const Workbench& bench, Workload& workload, const MeasurePolicy& policy)
      : bench_(bench), workload_(workload), warms_up_(policy.warmup > 0) {}

  enum class Outputs { ignored, judged };

  void give_turn(Attempt& attempt, Outputs outputs) {
    attempt_ = &attempt;
    if (outputs == Outputs::judged) witness_.emplace(attempt, workload_);
    begins_ = outputs == Outputs::judged;
  }

  /// Judges the outputs that the launches of the turn left.
  void end_turn() {
    if (attempt_ == nullptr) return;
    attempt_->guards_intact(workload_);
    if (witness_) witness_->conclude();
    witness_.reset();
  }

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    if (begins_) prepare(first, count);
    std::vector<double> times;
    const auto take = [&] { times = bench_.device.timer().time_us(launch, first, count); };
    if (!bench_.interrupted && attempt_->alive() && attempt_->run(&Cost::kernel_s, take)) {
      if (witness_) witness_->saw(first, count);
      return times;
    }
    return std::vector<double>(static_cast<std::size_t>(count), std::numeric_limits<double>::infinity());
  }

 private:
  /// The first launches of a turn may be a warm-up; then the set is one of those that come next.
  void prepare(std::int64_t first, std::int64_t count) {
    begins_ = false;
    if (bench_.interrupted) return;
    constexpr std::int64_t sure_to_come = 4;  // samples of a block (measure/sampler.cpp)
    if (warms_up_)
      witness_->prepare(first + count, sure_to_come);
    else
      witness_->prepare(first, std::min(count, sure_to_come));
  }

  const Workbench& bench_;
  Workload& workload_;
  bool warms_up_;
  Attempt* attempt_{};
  std::optional<Witness> witness_{};
  bool begins_{};
};

/// Of later turns, only some are judged: the set that a witness prepares is found in the cache by one of the launches
/// that are timed.
constexpr std::size_t later_turns_for_each_judged = 4;

std::vector<Timer::Launch> launches_of(std::span<Attempt> attempts, Workload& workload, const MeasurePolicy& policy) {
  std::vector<Timer::Launch> launches;
  for (auto& attempt : attempts) launches.push_back(attempt.launches(workload, policy));
  return launches;
}

}  // namespace

Clock clock_of(DeviceKind kind) { return kind == DeviceKind::cpu ? Clock::nothing : Clock::load; }

double settling_us(const MeasurePolicy& policy) { return 40'000 * static_cast<double>(policy.warmup); }

void time_in_turn(const Workbench& bench, const EvaluationRequest& request, std::span<Attempt> attempts,
                  EvaluationObserver& observer) {
  if (attempts.empty()) return;
  Workload* workload = timed_workload(bench, request, attempts.front());
  if (workload == nullptr) return;
  const auto& policy = request.policy.measure;
  TurnTimer timer(bench, *workload, policy);
  const auto give_turn = [&](std::size_t i, TurnTimer::Outputs outputs) {
    timer.end_turn();
    observer.started(attempts[i].candidate());
    timer.give_turn(attempts[i], outputs);
  };
  std::vector<bool> had_a_turn(attempts.size());
  const auto give_timed_turn = [&](std::size_t i) {
    const bool judged = !had_a_turn[i] || workload->draw(later_turns_for_each_judged) == 0;
    had_a_turn[i] = true;
    give_turn(i, judged ? TurnTimer::Outputs::judged : TurnTimer::Outputs::ignored);
  };
  const auto launches = launches_of(attempts, *workload, policy);
  const auto clock = clock_of(bench.device.info().kind);
  if (clock == Clock::load)
    run_in_turns(timer, launches, settling_us(policy),
                 [&](std::size_t i) { give_turn(i, TurnTimer::Outputs::ignored); });
  const auto samples = sample_interleaved(timer, launches, policy, clock, give_timed_turn);
  timer.end_turn();
  const auto reading = bench.device.read_clock();
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (attempts[i].alive()) attempts[i].set_timing(summarise(samples[i], policy.keep_samples), reading);
}

}  // namespace gemmtune
