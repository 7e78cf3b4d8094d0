#include "gemmtune/evaluate/local_steps.h"

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/finalist.h"
#include "gemmtune/evaluate/product.h"
#include "gemmtune/evaluate/witness.h"

namespace gemmtune {
namespace {

/// The witness prepares the operand set of one of these launches of a turn.
constexpr std::int64_t witnessed_launches = 4;

HeldCandidate described(const Attempt& attempt, const std::optional<Failure>& flaw) {
  const Timing& timing = attempt.evaluation().timing;
  return {.candidate = attempt.candidate(),
          .flaw = flaw ? flaw->reason : "",
          .workspace_bytes = timing.workspace_bytes,
          .packed_bytes = timing.packed_bytes,
          .pack_us = timing.pack_us};
}

/// As LocalEvaluator::evaluate() does.
template <typename Work>
void report_if_lost(EvaluationObserver& observer, const Work& work) {
  try {
    work();
  } catch (const DeviceLost& lost) {
    auto culprit = lost.culprit();
    culprit.timing = {};
    observer.evaluated(culprit);
    throw;
  }
}

Evaluation without_timing(Evaluation evaluation) {
  evaluation.timing = {};
  return evaluation;
}

}  // namespace

LocalSteps::Held& LocalSteps::find(const Candidate& candidate) {
  const auto found = held_.find(candidate);
  if (found == held_.end()) fail(ErrorCode::usage, "{} is not held", candidate.name);
  return found->second;
}

std::size_t LocalSteps::held_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [candidate, held] : held_) bytes += held.attempt.bytes(held.attempt.set_count());
  return bytes;
}

void LocalSteps::hold(const HoldRequest& asked, HoldObserver& observer) {
  release();
  problem_ = asked.problem;
  policy_ = asked.policy;
  policy_.stage = Stage::confirm;
  const auto share = std::clamp(asked.memory_share, 0.0, 1.0);
  const auto most = static_cast<std::size_t>(share * static_cast<double>(memory_for_finalists(bench_.device)));
  for (const auto& candidate : asked.candidates) {
    if (bench_.interrupted) return;
    observer.started(candidate);
    report_if_lost(observer, [&] { hold_one(candidate, most, observer); });
  }
}

/// The first one is held whatever its size.
void LocalSteps::hold_one(const Candidate& candidate, std::size_t most_bytes, HoldObserver& observer) {
  Attempt attempt(bench_.device, candidate, Stage::confirm);
  if (!attempt.prepare(bench_.families, problem_)) return observer.evaluated(attempt.evaluation());
  const auto bytes = attempt.bytes(rotation(bench_, request(), attempt));
  if (!held_.empty() && held_bytes() + bytes > most_bytes) return observer.postponed(candidate);
  if (!check_before_timing(bench_, request(), attempt)) {
    attempt.release();
    return observer.evaluated(without_timing(attempt.evaluation()));
  }
  Held held{.attempt = std::move(attempt)};
  if (!held.attempt.alive()) {
    held.flaw = held.attempt.reopen();
    held.attempt.stop_judging();
  }
  observer.held(described(held.attempt, held.flaw));
  held_.insert_or_assign(candidate, std::move(held));
}

TurnResult LocalSteps::sample(const Candidate& candidate, const TurnRequest& turn) {
  Held& held = find(candidate);
  Turn taken;
  TurnFailure failure;
  try {
    if (Workload* workload = timed_workload(bench_, request(), held.attempt)) taken = take(held, *workload, turn);
    if (held.attempt.alive()) return taken;
    failure.evaluation = without_timing(held.attempt.evaluation());
  } catch (const DeviceLost& lost) {
    failure = {.evaluation = without_timing(lost.culprit()), .process = Process::lost};
  }
  held_.erase(candidate);
  return failure;
}

Turn LocalSteps::take(Held& held, Workload& workload, const TurnRequest& turn) {
  auto& attempt = held.attempt;
  const auto launch = attempt.launches(workload, policy_.measure);
  const auto first_launch = held.next_launch;
  const auto first_sample = first_launch + turn.warmup;
  held.next_launch = first_sample + turn.count;
  Witness witness(attempt, workload);
  if (turn.outputs == Outputs::judged) witness.prepare(first_sample, std::min(turn.count, witnessed_launches));
  WitnessedTimer timer(bench_.device.timer(), witness);
  Turn taken;
  const auto run = [&] {
    if (turn.warmup > 0) timer.warm_up(launch, first_launch, turn.warmup);
    taken.samples_us = timer.time_us(launch, first_sample, turn.count);
    const auto clock = bench_.device.read_clock();
    taken.clock_mhz = clock.clock_mhz;
    taken.throttled = clock.throttled;
  };
  if (attempt.alive() && attempt.run(&Cost::kernel_s, run)) attempt.guards_intact(workload);
  witness.conclude();
  return taken;
}

void LocalSteps::go_on(const Candidate& candidate, std::int64_t launches) {
  Held& held = find(candidate);
  Workload* workload = timed_workload(bench_, request(), held.attempt);
  if (workload == nullptr || bench_.interrupted) return;
  const auto launch = held.attempt.launches(*workload, policy_.measure);
  const auto run = [&] {
    for (std::int64_t i = 0; i < launches; ++i) launch(held.next_launch++);
  };
  static_cast<void>(held.attempt.run(&Cost::kernel_s, run));
}

Process LocalSteps::settle(std::span<const Candidate> candidates, EvaluationObserver& observer) {
  for (const auto& candidate : candidates) {
    if (bench_.interrupted) return Process::lost;
    Held& held = find(candidate);
    observer.started(candidate);
    report_if_lost(observer, [&] { observer.evaluated(settled(held)); });
  }
  return Process::lives;
}

Evaluation LocalSteps::settled(Held& held) {
  if (!held.flaw && held.attempt.alive()) check_after_timing(bench_, request(), held.attempt);
  auto evaluation = without_timing(held.attempt.evaluation());
  if (held.flaw && evaluation.outcome == Outcome::ok) {
    evaluation.outcome = held.flaw->outcome;
    evaluation.reason = held.flaw->reason;
  }
  return evaluation;
}

Product LocalSteps::multiply(const ProductRequest& request) {
  release();
  if (!examiner_) examiner_ = make_examiner(bench_.device);
  return product_of(bench_, *examiner_, request);
}

}  // namespace gemmtune
