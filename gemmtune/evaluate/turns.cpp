#include "gemmtune/evaluate/turns.h"

#include <limits>
#include <vector>

#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

/// The device's timer, as long as the attempt whose turn it is has not failed and nobody interrupts. Then it runs
/// nothing more, and its samples are so long that the stop rule is content.
class TurnTimer final : public Timer {
 public:
  explicit TurnTimer(const Workbench& bench) : bench_(bench) {}

  void give_turn(Attempt& attempt) { attempt_ = &attempt; }

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    std::vector<double> times;
    const auto take = [&] { times = bench_.device.timer().time_us(launch, first, count); };
    if (!bench_.interrupted && attempt_->alive() && attempt_->run(&Cost::kernel_s, take)) return times;
    return std::vector<double>(static_cast<std::size_t>(count), std::numeric_limits<double>::infinity());
  }

 private:
  const Workbench& bench_;
  Attempt* attempt_{};
};

std::vector<Timer::Launch> launches_of(std::span<Attempt> attempts, Workload& workload, const MeasurePolicy& policy) {
  std::vector<Timer::Launch> launches;
  for (auto& attempt : attempts) launches.push_back(attempt.launches(workload, policy));
  return launches;
}

}  // namespace

double settling_us(const MeasurePolicy& policy) { return 40'000 * static_cast<double>(policy.warmup); }

void time_in_turn(const Workbench& bench, const EvaluationRequest& request, std::span<Attempt> attempts,
                  EvaluationObserver& observer) {
  if (attempts.empty()) return;
  Workload* workload = timed_workload(bench, request, attempts.front());
  if (workload == nullptr) return;
  const auto& policy = request.policy.measure;
  TurnTimer timer(bench);
  Attempt* last = nullptr;
  const auto change_turn = [&](std::size_t i) {
    if (last != nullptr) last->guards_intact(*workload);
    last = &attempts[i];
    observer.started(last->candidate());
    timer.give_turn(*last);
  };
  const auto launches = launches_of(attempts, *workload, policy);
  if (bench.device.info().kind != DeviceKind::cpu) run_in_turns(timer, launches, settling_us(policy), change_turn);
  const auto samples = sample_interleaved(timer, launches, policy, change_turn);
  if (last != nullptr) last->guards_intact(*workload);
  const auto clock = bench.device.read_clock();
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (attempts[i].alive()) attempts[i].set_timing(summarise(samples[i], policy.keep_samples), clock);
}

}  // namespace gemmtune
