#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "gemmtune/core/clock.h"
#include "gemmtune/evaluate/stress.h"

namespace gemmtune {
namespace {

constexpr std::size_t most_sets = 4;
constexpr std::int64_t batch_launches = 34;  // two batches in each way make 200
constexpr std::size_t scratch_bytes = std::size_t{1} << 20;

/// The launches of one attempt.
class Stress {
 public:
  Stress(const Workbench& bench, const StressPolicy& policy, const StressedAttempt& stressed)
      : bench_(bench),
        policy_(policy),
        stressed_(stressed),
        scratch_(bench.device.allocate(scratch_bytes)),
        launches_(stressed.attempt.launches(stressed.workload, stressed.measure)) {}

  void run() {
    expected_ = fingerprint(0);
    const auto start = SteadyClock::now();
    for (std::int64_t done = 0, batch = 0; done < policy_.launches; ++batch) {
      const auto spent_s = seconds_since(start);
      if (batch > 0 && (spent_s >= policy_.most_s || bench_.interrupted)) return;
      const auto count = batch_size(done, spent_s);
      if (!hold(batch % 3, count)) return;
      done += count;
    }
  }

 private:
  /// A third of the launches in each way, but at most a batch, and after the first one what time is left for.
  std::int64_t batch_size(std::int64_t done, double spent_s) const {
    const auto sets = static_cast<std::int64_t>(stressed_.sets);
    const bool is_limited = std::isfinite(policy_.most_s);
    const auto wanted = std::min({batch_launches, policy_.launches - done, (policy_.launches + 2) / 3});
    if (!is_limited) return wanted;
    if (done == 0) return std::min(wanted, sets);
    const double launch_s = spent_s / static_cast<double>(done);
    return static_cast<std::int64_t>(
        std::clamp((policy_.most_s - spent_s) / launch_s, 1.0, static_cast<double>(wanted)));
  }

  /// Runs a batch of launches and judges their outputs.
  bool hold(std::int64_t way, std::int64_t count) {
    auto& attempt = stressed_.attempt;
    const auto written = std::min(stressed_.sets, static_cast<std::size_t>(count));
    const auto poison_and_launch = [&] {
      for (std::size_t set = 0; set < written; ++set) stressed_.workload.poison(set);
      launch_batch(way, count);
    };
    const bool holds = attempt.run(&Cost::verify_s, poison_and_launch) && attempt.guards_intact(stressed_.workload) &&
                       compare(way, written);
    if (holds) return true;
    auto failure = attempt.reopen();
    failure.reason = fmt::format("launches {}: {}", name(way), failure.reason);
    attempt.settle(std::move(failure));
    return false;
  }

  void launch_batch(std::int64_t way, std::int64_t count) {
    const auto period = static_cast<std::int64_t>(stressed_.sets);
    const Timer::Launch launch{.run = [&](std::int64_t i) { launches_(i % period); }, .period = period};
    if (way == 1) {
      bench_.device.timer().time_us(launch, 0, count);
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      launch(i);
      if (way == 2) disturb(i);
    }
  }

  bool compare(std::int64_t way, std::size_t written) {
    auto& attempt = stressed_.attempt;
    auto& workload = stressed_.workload;
    for (std::size_t set = 0; set < written; ++set) {
      bool is_same = false;
      const auto look = [&] { is_same = !workload.has_gaps() && fingerprint(set) == expected_; };
      if (!attempt.step(blame_launch, look)) return false;
      if (is_same) continue;
      if (!attempt.judge(workload, set, "")) return false;
      if (!workload.has_gaps())  // gaps hold another poison each time
        attempt.remark(fmt::format("launches {}: right, with other bits than the first", name(way)));
    }
    return true;
  }

  std::uint64_t fingerprint(std::size_t set) const {
    const ScopedSeconds verifying(stressed_.attempt.cost().verify_s);
    return stressed_.workload.output_fingerprint(set);
  }

  /// Other work on the stream, of three kinds in turn.
  void disturb(std::int64_t i) {
    if (i % 3 != 1) bench_.device.fill(scratch_.data(), scratch_bytes, 0x1234);
    if (i % 3 != 0 && stressed_.neighbour != nullptr)
      stressed_.neighbour->launches(stressed_.workload, stressed_.measure)(static_cast<std::int64_t>(stressed_.sets));
  }

  std::string name(std::int64_t way) const {
    if (way < 2) return way == 0 ? "queued" : "replayed";
    return stressed_.neighbour == nullptr ? "between memsets"
                                          : "between a memset and " + stressed_.neighbour->candidate().name;
  }

  const Workbench& bench_;
  const StressPolicy& policy_;
  const StressedAttempt& stressed_;
  Buffer scratch_;
  Timer::Launch launches_;
  std::uint64_t expected_{};
};

/// Several candidates, each beside the last one that passed.
class StressOfCandidates {
 public:
  StressOfCandidates(const Workbench& bench, const EvaluationRequest& request, const StressPolicy& policy)
      : bench_(bench), request_(request), policy_(policy) {}

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
    const auto sets = most_sets;  // of all candidates alike, because one is launched on another's
    Workload* workload = find_workload(bench_, key, sets + 1, attempt);
    if (workload == nullptr) return;
    if (attempt.equip(*workload, sets + 1) && attempt.check(*workload, std::array{std::size_t{0}}) &&
        attempt.copy_weights(*workload))
      stress_attempt(bench_, policy_, {attempt, *workload, sets, request_.policy.measure, neighbour_.get()});
    attempt.inputs_intact(*workload);
  }

  const Workbench& bench_;
  const EvaluationRequest& request_;
  const StressPolicy& policy_;
  std::unique_ptr<Attempt> neighbour_;
};

}  // namespace

StressPolicy proof_stress(const DeviceInfo& device) { return {.most_s = device.kind == DeviceKind::cpu ? 1.0 : 10.0}; }

std::size_t stressed_sets(const Workbench& bench, const Problem& problem, std::size_t packed_bytes) {
  return std::min(most_sets, affordable_sets(problem, bench.device.info(), packed_bytes));
}

void stress_attempt(const Workbench& bench, const StressPolicy& policy, const StressedAttempt& stressed) {
  static_cast<void>(stressed.attempt.step(blame_launch, [&] { Stress(bench, policy, stressed).run(); }));
}

void stress(const Workbench& bench, const EvaluationRequest& request, const StressPolicy& policy,
            EvaluationObserver& observer) {
  StressOfCandidates stressing(bench, request, policy);
  for (const auto& candidate : request.candidates) {
    if (bench.interrupted) return;
    observer.started(candidate);
    observer.evaluated(stressing.stress_one(candidate));
  }
}

}  // namespace gemmtune
