#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "gemmtune/evaluate/stress.h"

namespace gemmtune {
namespace {

constexpr std::size_t stressed_sets = 4;  // whose outputs are compared
constexpr std::size_t neighbour_set = stressed_sets;
constexpr std::size_t scratch_bytes = std::size_t{1} << 20;

class Stress {
 public:
  Stress(const Workbench& bench, const EvaluationRequest& request, const StressPolicy& policy)
      : bench_(bench), request_(request), policy_(policy), scratch_(bench.device.allocate(scratch_bytes)) {}

  Evaluation stress_one(const Candidate& candidate) {
    auto attempt = std::make_unique<Attempt>(bench_.device, candidate, request_.policy.stage);
    if (attempt->prepare(bench_.families, request_.problem)) stress_prepared(*attempt);
    const auto evaluation = attempt->evaluation();
    if (attempt->alive()) neighbour_ = std::move(attempt);
    return evaluation;
  }

 private:
  void stress_prepared(Attempt& attempt) {
    const WorkloadKey key{.problem = request_.problem,
                          .seed = request_.policy.seed,
                          .verify = request_.policy.verify,
                          .stage = request_.policy.stage};
    Workload* workload = find_workload(bench_, key, stressed_sets + 1, attempt);
    if (workload == nullptr) return;
    if (attempt.equip(*workload, stressed_sets + 1) && attempt.check(*workload, std::array{std::size_t{0}}) &&
        attempt.copy_weights(*workload))
      launch_often(attempt, *workload);
    attempt.inputs_intact(*workload);
  }

  /// A third of the launches in each way.
  void launch_often(Attempt& attempt, Workload& workload) {
    const auto expected = workload.output_fingerprint(0);
    const auto each = (policy_.launches + 2) / 3;
    const auto launches = attempt.launches(workload, request_.policy.measure);
    const Timer::Launch launch{.run = [&](std::int64_t i) { launches(i % static_cast<std::int64_t>(stressed_sets)); },
                               .period = stressed_sets};
    const auto queued = [&] {
      for (std::int64_t i = 0; i < each; ++i) launch(i);
    };
    const auto replayed = [&] { bench_.device.timer().time_us(launch, 0, each); };
    const auto mixed = [&] {
      for (std::int64_t i = 0; i < each; ++i) {
        launch(i);
        disturb(workload, i);
      }
    };
    const Outputs outputs{attempt, workload, expected, std::min(stressed_sets, static_cast<std::size_t>(each))};
    static_cast<void>(hold("queued", outputs, queued) && hold("replayed", outputs, replayed) &&
                      hold(mixed_name(), outputs, mixed));
  }

  struct Outputs {
    Attempt& attempt;
    Workload& workload;
    std::uint64_t expected;  // of the first one that was right
    std::size_t written;     // sets that are launched on
  };

  /// Runs the launches, and judges what they leave.
  bool hold(const std::string& how, const Outputs& outputs, const std::function<void()>& launches) {
    auto& [attempt, workload, expected, written] = outputs;
    const auto poison_and_launch = [&] {
      for (std::size_t set = 0; set < written; ++set) workload.poison(set);
      launches();
    };
    const bool holds = attempt.run(&Cost::verify_s, poison_and_launch) && attempt.guards_intact(workload) &&
                       attempt.step(blame_launch, [&] { compare(how, outputs); });
    if (holds) return true;
    auto failure = attempt.reopen();
    failure.reason = fmt::format("launches {}: {}", how, failure.reason);
    attempt.settle(std::move(failure));
    return false;
  }

  static void compare(const std::string& how, const Outputs& outputs) {
    for (std::size_t set = 0; set < outputs.written; ++set) {
      if (outputs.workload.output_fingerprint(set) == outputs.expected) continue;
      const auto verdict = outputs.workload.judge(set);
      if (!verdict.why_wrong.empty()) return outputs.attempt.settle({Outcome::wrong_result, verdict.why_wrong});
      outputs.attempt.remark(fmt::format("launches {}: right, with other bits than the first", how));
    }
  }

  /// Other work on the stream, of three kinds in turn.
  void disturb(Workload& workload, std::int64_t i) {
    if (i % 3 != 1) bench_.device.fill(scratch_.data(), scratch_bytes, 0x1234);
    if (i % 3 != 0 && neighbour_) neighbour_->launches(workload, request_.policy.measure)(neighbour_set);
  }

  std::string mixed_name() const {
    return neighbour_ ? fmt::format("between a memset and {}", neighbour_->candidate().name) : "between memsets";
  }

  const Workbench& bench_;
  const EvaluationRequest& request_;
  const StressPolicy& policy_;
  Buffer scratch_;
  std::unique_ptr<Attempt> neighbour_;  // the last that passed
};

}  // namespace

void stress(const Workbench& bench, const EvaluationRequest& request, const StressPolicy& policy,
            EvaluationObserver& observer) {
  Stress stressing(bench, request, policy);
  for (const auto& candidate : request.candidates) {
    if (bench.interrupted) return;
    observer.started(candidate);
    observer.evaluated(stressing.stress_one(candidate));
  }
}

}  // namespace gemmtune
