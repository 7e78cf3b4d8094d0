#include <algorithm>
#include <array>
#include <limits>

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

/// Twice as slow as the best is no finalist, however many samples say so.
constexpr double hopeless = 2.0;

class Screening {
 public:
  Screening(const Workbench& bench, const EvaluationRequest& request) : bench_(bench), request_(request) {}

  Evaluation screen_one(const Candidate& candidate) {
    Attempt trial(bench_.device, candidate, Stage::screen);
    if (trial.prepare(bench_.families, request_.problem)) screen_prepared(trial);
    trial.release();
    return trial.evaluation();
  }

 private:
  void screen_prepared(Attempt& trial) {
    Workload* workload = timed_workload(bench_, request_, trial);
    if (workload == nullptr) return;
    if (check(*workload, trial)) time(*workload, trial);
    trial.inputs_intact(*workload);
  }

  /// The other sets are not filled for what is wrong on the first. The last one shows that the kernel goes by the
  /// addresses it is given.
  bool check(Workload& workload, Attempt& trial) {
    const auto sets = rotation(bench_, request_, trial);
    if (!trial.equip(workload, sets) || !trial.check(workload, std::array{std::size_t{0}})) return false;
    if (!trial.spread(workload)) return false;
    return sets == 1 || trial.check(workload, std::array{sets - 1});
  }

  void time(Workload& workload, Attempt& trial) {
    const auto& policy = request_.policy.measure;
    const auto rule = make_stop_rule(policy, hopeless * best_us_);
    std::vector<double> samples_us;
    ClockReading clock;
    const auto take = [&] {
      samples_us = sample(
          bench_.device.timer(), [&](std::int64_t i) { trial.launch(workload, i); }, policy, *rule);
      clock = bench_.device.read_clock();
    };
    if (!trial.run(&Cost::kernel_s, take) || !trial.guards_intact(workload)) return;
    trial.set_timing(summarise(samples_us, policy.keep_samples), clock);
    if (!samples_us.empty()) best_us_ = std::min(best_us_, trial.evaluation().timing.median_us);
  }

  const Workbench& bench_;
  const EvaluationRequest& request_;
  double best_us_{std::numeric_limits<double>::infinity()};
};

}  // namespace

void screen(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
  Screening screening(bench, request);
  for (const auto& candidate : request.candidates) {
    if (bench.interrupted) return;
    observer.started(candidate);
    observer.evaluated(screening.screen_one(candidate));
  }
}

}  // namespace gemmtune
