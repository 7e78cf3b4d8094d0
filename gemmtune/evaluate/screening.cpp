#include <algorithm>
#include <array>
#include <limits>

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

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
    const auto sets = rotation(bench_, request_, trial);
    if (check_first(*workload, trial, sets)) time(*workload, trial);
    if (!trial.inputs_intact(*workload) || !is_hopeful(trial)) return;
    if (check_last(*workload, trial, sets)) best_us_ = std::min(best_us_, median_us(trial));
    trial.inputs_intact(*workload);
  }

  /// The other sets are not filled for what is wrong on the first.
  static bool check_first(Workload& workload, Attempt& trial, std::size_t sets) {
    return trial.equip(workload, sets) && trial.check(workload, std::array{std::size_t{0}}) && trial.spread(workload);
  }

  /// The last set shows that the kernel goes by the addresses it is given. Those who are too slow anyway are spared it.
  static bool check_last(Workload& workload, Attempt& trial, std::size_t sets) {
    return sets == 1 || trial.check(workload, std::array{sets - 1});
  }

  static double median_us(const Attempt& trial) { return trial.evaluation().timing.median_us; }

  bool is_hopeful(const Attempt& trial) const {
    return trial.alive() && trial.evaluation().timing.sample_count > 0 && median_us(trial) <= hopeless * best_us_;
  }

  void time(Workload& workload, Attempt& trial) {
    const auto& policy = request_.policy.measure;
    const auto rule = make_stop_rule(policy, hopeless * best_us_);
    Samples samples;
    ClockReading clock;
    const auto take = [&] {
      samples = sample(bench_.device.timer(), trial.launches(workload, policy), policy, *rule);
      clock = bench_.device.read_clock();
    };
    if (!trial.run(&Cost::kernel_s, take) || !trial.guards_intact(workload)) return;
    trial.set_timing(summarise(samples, policy.keep_samples), clock);
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
