#include "gemmtune/replay/recorded_evaluator.h"

#include <algorithm>
#include <limits>
#include <map>

#include "gemmtune/evaluate/turns.h"
#include "gemmtune/measure/sampler.h"
#include "gemmtune/replay/drawn_samples.h"

namespace gemmtune {
namespace {

using Recorded = std::vector<const RecordedCandidate*>;

Recorded find_all(const RecordedShape& shape, std::span<const Candidate> candidates) {
  Recorded found;
  for (const auto& candidate : candidates) {
    const auto at = std::ranges::find(shape.candidates, candidate, &RecordedCandidate::candidate);
    if (at == shape.candidates.end())
      fail(ErrorCode::internal, "{} is not among the recorded candidates", candidate.name);
    found.push_back(&*at);
  }
  return found;
}

Evaluation without_timing(const RecordedCandidate& one, Stage stage) {
  Evaluation evaluation{.candidate = one.candidate, .stage = stage};
  evaluation.cost.prepare_s = one.overhead_us / 1e6;
  if (one.outcome != Outcome::ok && one.failed_at <= stage) {
    evaluation.outcome = one.outcome;
    evaluation.reason = "recorded";
  }
  return evaluation;
}

void set_times(Evaluation& evaluation, const Samples& samples, const RecordedCandidate& one) {
  evaluation.timing = summarise(samples, evaluation.stage == Stage::confirm);
  evaluation.timing.workspace_bytes = one.memory_bytes;
}

class Replaying {
 public:
  Replaying(const EvaluationPolicy& policy, std::mt19937_64& engine, EvaluationObserver& observer)
      : policy_(policy), timer_(engine), observer_(observer) {}

  void screen(const Recorded& all) {
    double best_us = std::numeric_limits<double>::infinity();
    for (const auto* one : all) {
      auto evaluation = without_timing(*one, policy_.stage);
      if (evaluation.outcome == Outcome::ok) time_alone(evaluation, *one, best_us);
      observer_.evaluated(evaluation);
    }
  }

  void confirm(const Recorded& all, Clock clock) {
    Recorded right;
    std::vector<Evaluation> evaluations;
    for (const auto* one : all) {
      auto evaluation = without_timing(*one, policy_.stage);
      if (evaluation.outcome == Outcome::ok) {
        right.push_back(one);
        evaluations.push_back(evaluation);
      } else {
        observer_.evaluated(evaluation);
      }
    }
    if (right.empty()) return;
    time_in_turns(evaluations, right);
    if (clock == Clock::load) evaluations.front().cost.kernel_s += settling_us(policy_.measure) / 1e6;
    for (const auto& evaluation : evaluations) observer_.evaluated(evaluation);
  }

  void prove(const Recorded& all) {
    for (const auto* one : all) observer_.evaluated(without_timing(*one, policy_.stage));
  }

 private:
  void time_alone(Evaluation& evaluation, const RecordedCandidate& one, double& best_us) {
    const auto rule = make_stop_rule(policy_.measure, too_slow_factor * best_us);
    timer_.use(one.screen_us);
    const auto samples = sample(timer_, {[](std::int64_t) {}}, policy_.measure, *rule);
    set_times(evaluation, samples, one);
    evaluation.cost.kernel_s = timer_.take_spent_s();
    best_us = std::min(best_us, evaluation.timing.median_us);
  }

  /// The recorded times do not depend on the load before them, which the costs leave out.
  void time_in_turns(std::vector<Evaluation>& evaluations, const Recorded& all) {
    std::size_t turn = 0;
    const auto settle_turn = [&] { evaluations[turn].cost.kernel_s += timer_.take_spent_s(); };
    const auto change_turn = [&](std::size_t i) {
      settle_turn();
      if (i <= turn) timer_.go_on();  // a new round
      turn = i;
      timer_.use(all[i]->confirm);
    };
    const std::vector<Timer::Launch> launches(all.size(), {[](std::int64_t) {}});
    const auto samples = sample_interleaved(timer_, launches, policy_.measure, Clock::nothing, change_turn);
    settle_turn();
    for (std::size_t i = 0; i < all.size(); ++i) set_times(evaluations[i], samples[i], *all[i]);
  }

  const EvaluationPolicy& policy_;
  DrawingTimer timer_;
  EvaluationObserver& observer_;
};

}  // namespace

RecordedEvaluator::RecordedEvaluator(const RecordedShape& shape, std::uint64_t seed) : shape_(shape), engine_(seed) {}

DeviceInfo RecordedEvaluator::device() { return {.kind = shape_.kind, .name = shape_.device}; }

std::vector<FamilySupport> RecordedEvaluator::supports(const Problem& problem) {
  std::map<std::string, FamilySupport> families;
  for (const auto& candidate : candidates(problem)) {
    auto& family = families[candidate.family];
    family.family = candidate.family;
    ++family.candidate_count;
  }
  std::vector<FamilySupport> all;
  all.reserve(families.size());
  for (const auto& [name, family] : families) all.push_back(family);
  return all;
}

std::vector<Candidate> RecordedEvaluator::candidates(const Problem& problem) {
  std::vector<Candidate> all;
  if (problem != shape_.problem) return all;
  for (const auto& one : shape_.candidates) all.push_back(one.candidate);
  return all;
}

void RecordedEvaluator::evaluate(const Problem& /*problem*/, std::span<const Candidate> candidates,
                                 const EvaluationPolicy& policy, EvaluationObserver& observer) {
  Replaying replaying(policy, engine_, observer);
  const auto recorded = find_all(shape_, candidates);
  switch (policy.stage) {
    case Stage::screen:
      return replaying.screen(recorded);
    case Stage::confirm:
      return replaying.confirm(recorded, clock_of(shape_.kind));
    case Stage::prove:
      return replaying.prove(recorded);
  }
}

}  // namespace gemmtune
