#include <algorithm>
#include <array>
#include <limits>

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/evaluate/witness.h"
#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

class Screening {
 public:
  Screening(const Workbench& bench, const EvaluationRequest& request) : bench_(bench), request_(request) {}

  Evaluation screen_one(const Candidate& candidate) {
    Attempt attempt(bench_.device, candidate, Stage::screen);
    if (attempt.prepare(bench_.families, request_.problem)) screen_prepared(attempt);
    attempt.release();
    return attempt.evaluation();
  }

 private:
  void screen_prepared(Attempt& attempt) {
    Workload* workload = timed_workload(bench_, request_, attempt);
    if (workload == nullptr) return;
    const auto sets = rotation(bench_, request_, attempt);
    if (check_first(*workload, attempt, sets)) time(*workload, attempt);
    if (attempt.inputs_intact(*workload) && is_hopeful(attempt)) best_us_ = std::min(best_us_, median_us(attempt));
  }

  /// The other sets are filled only for candidates that are right on the first.
  static bool check_first(Workload& workload, Attempt& attempt, std::size_t sets) {
    return attempt.equip(workload, sets) && attempt.check(workload, std::array{std::size_t{0}}) &&
           attempt.copy_weights(workload);
  }

  static double median_us(const Attempt& attempt) { return attempt.evaluation().timing.median_us; }

  bool is_hopeful(const Attempt& attempt) const {
    return attempt.alive() && attempt.evaluation().timing.sample_count > 0 &&
           median_us(attempt) <= too_slow_factor * best_us_;
  }

  void time(Workload& workload, Attempt& attempt) {
    const auto& policy = request_.policy.measure;
    const auto rule = make_stop_rule(policy, too_slow_factor * best_us_);
    Samples samples;
    ClockReading clock;
    Witness witness(attempt, workload);
    WitnessedTimer timer(bench_.device.timer(), witness);
    const auto take = [&] {
      samples = sample(timer, attempt.launches(workload, policy), policy, *rule);
      clock = bench_.device.read_clock();
    };
    witness.prepare(policy.warmup, std::max<std::int64_t>(policy.min_samples, 1));
    const bool ran = attempt.run(&Cost::kernel_s, take) && attempt.guards_intact(workload);
    const bool judged = witness.conclude();
    if (!ran || !attempt.alive()) return;
    const auto timing = summarise(samples, policy.keep_samples);
    if (judged || timing.median_us > too_slow_factor * best_us_ || check_any(workload, attempt))
      attempt.set_timing(timing, clock);
  }

  /// For timing that ended before it came to the witness's set. Candidates that are too slow anyway skip it.
  static bool check_any(Workload& workload, Attempt& attempt) {
    return attempt.check(workload, std::array{workload.draw(attempt.set_count())});
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
