#include "gemmtune/evaluate/turns.h"

#include <limits>
#include <vector>

#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

/// The device's timer, as long as the trial whose turn it is has not failed and nobody interrupts. Then it runs nothing
/// more, and its samples are so long that the stop rule is content.
class TurnTimer final : public Timer {
 public:
  explicit TurnTimer(const Workbench& bench) : bench_(bench) {}

  void give_turn(Trial& trial) { trial_ = &trial; }

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    std::vector<double> times;
    const auto take = [&] { times = bench_.device.timer().time_us(launch, first, count); };
    if (!bench_.interrupted && trial_->alive() && trial_->run(&Cost::kernel_s, take)) return times;
    return std::vector<double>(static_cast<std::size_t>(count), std::numeric_limits<double>::infinity());
  }

 private:
  const Workbench& bench_;
  Trial* trial_{};
};

std::vector<Timer::Launch> launches_of(std::span<Trial> trials, Workload& workload) {
  std::vector<Timer::Launch> launches;
  for (auto& trial : trials) launches.emplace_back([&trial, &workload](std::int64_t i) { trial.launch(workload, i); });
  return launches;
}

}  // namespace

void time_in_turn(const Workbench& bench, const EvaluationRequest& request, std::span<Trial> trials,
                  EvaluationObserver& observer) {
  if (trials.empty()) return;
  Workload* workload = timed_workload(bench, request, trials.front());
  if (workload == nullptr) return;
  const auto& policy = request.policy.measure;
  TurnTimer timer(bench);
  Trial* last = nullptr;
  const auto change_turn = [&](std::size_t i) {
    if (last != nullptr) last->guards_intact(*workload);
    last = &trials[i];
    observer.started(last->candidate());
    timer.give_turn(*last);
  };
  const auto samples = sample_interleaved(timer, launches_of(trials, *workload), policy, change_turn);
  if (last != nullptr) last->guards_intact(*workload);
  const auto clock = bench.device.read_clock();
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].alive()) trials[i].set_timing(summarise(samples[i], policy.keep_samples), clock);
}

}  // namespace gemmtune
