#include "gemmtune/tune/shape_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include "gemmtune/core/clock.h"
#include "gemmtune/tune/candidates.h"
#include "gemmtune/tune/second_look.h"
#include "gemmtune/tune/verdict.h"

namespace gemmtune {
namespace {

const EvaluationPolicy& of_stage(const TunePlan& plan, Stage stage) {
  switch (stage) {
    case Stage::screen:
      return plan.screen;
    case Stage::confirm:
      return plan.confirm;
    case Stage::prove:
      return plan.prove;
  }
  fail(ErrorCode::internal, "no such stage");
}

}  // namespace

EvaluationPolicy policy_of(const TunePlan& plan, const Batch& batch) {
  const auto policy = with_placement(of_stage(plan, batch.stage), batch.placement);
  if (batch.again) return with_brief_warmup(policy);
  return batch.samples > 0 ? with_samples(policy, batch.samples) : policy;
}

bool ends_worker(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && (known->code() == ErrorCode::protocol || known->code() == ErrorCode::no_device);
}

// Passes evaluations on to the shape's run. Holds back exceptions of the journal, which must not interrupt the
// evaluator in the middle of a conversation with a worker.
class ShapeRun::Recorder final : public EvaluationObserver {
 public:
  Recorder(ShapeRun& run, const Listener& listener) : run_(run), listener_(listener) {}

  void started(const Candidate& /*candidate*/) override {}

  void evaluated(const Evaluation& evaluation) override {
    if (failure_) return;
    const auto before = std::exchange(last_, SteadyClock::now());
    try {
      run_.settle_new(evaluation, std::chrono::duration<double>(last_ - before).count(), listener_);
      ++count_;
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  std::size_t count() const { return count_; }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  ShapeRun& run_;
  const Listener& listener_;
  SteadyClock::time_point last_{SteadyClock::now()};  // when the last evaluation came
  std::size_t count_{};
  std::exception_ptr failure_;
};

ShapeRun::ShapeRun(RunParts run, const Shape& shape, Evaluator& evaluator, double worker_start_s)
    : run_(run),
      shape_(shape),
      evaluator_(evaluator),
      device_(evaluator.device()),
      proof_cost_(worker_start_s),
      limits_(run.limits) {
  result_.shape = shape;
}

ShapeResult ShapeRun::result() {
  const auto start = SteadyClock::now();
  ShapeResult result = without_wall_time();
  result.wall_s = seconds_since(start);
  return result;
}

// The search and what follows it have limits of their own, and are watched one after the other: an interrupt of the
// search must not reach the proof.
ShapeResult ShapeRun::without_wall_time() {
  const auto limit = [this] { return limits_.reached(); };
  std::vector<Candidate> to_try;
  {
    const Watchdog::Watch watch(run_.watchdog, evaluator_, limit);
    to_try = candidates();
    run_.journal.observe([&](TuneObserver& observer) { observer.shape_started(shape_, to_try.size()); });
    if (to_try.empty()) return result_;
    const auto strategy =
        make_strategy(run_.plan.search, to_try, run_.neighbours.about(shape_.problem), run_.plan.regret);
    result_.complete = attempt([&] { return search(*strategy); });
    result_.claim = strategy->claim();
    if (strategy->states_regret() && !result_.complete) result_.why_no_claim = "the search was cut short";
  }
  for (const auto& time : evidence_.times()) run_.neighbours.add(shape_.problem, time);
  limits_.begin_proof();
  const Watchdog::Watch watch(run_.watchdog, evaluator_, limit);
  return looked_at_again(with_proof(to_try.front()), to_try.front());
}

std::vector<Candidate> ShapeRun::candidates() {
  result_.why_failed = why_too_large(shape_.problem, device_);
  if (!result_.why_failed.empty()) return {};
  const ScopedSeconds listing(result_.listing_s);
  const auto supports = evaluator_.supports(shape_.problem);
  for (const FamilySupport& support : supports) versions_[support.family] = support.version;
  auto wanted = wanted_candidates(run_.plan, evaluator_.candidates(shape_.problem));
  if (wanted.empty()) result_.why_failed = why_no_candidates(run_.plan, supports);
  return wanted;
}

bool ShapeRun::attempt(const std::function<bool()>& part) {
  std::string why;
  try {
    if (part()) return true;
    why = limits_.reason();
  } catch (const std::exception& error) {
    if (!run_.journal.failure() && ends_worker(error)) throw;
    why = error.what();
  }
  if (!result_.complete && result_.cut_short_by.empty()) result_.cut_short_by = why;
  return false;
}

bool ShapeRun::search(Strategy& strategy) {
  const auto listener = [&](const Evaluation& evaluation) {
    evidence_.add(evaluation);
    strategy.tell(evaluation);
  };
  while (true) {
    const Batch batch = ask(strategy);
    if (batch.empty()) return true;
    evidence_.begin(batch);
    if (batch.stage == Stage::screen) expect(batch, strategy.likely_next());
    if (!evaluate(batch.candidates, policy_of(run_.plan, batch), listener)) return false;
  }
}

Batch ShapeRun::ask(Strategy& strategy) {
  const ScopedSeconds thinking(result_.search_s);
  return strategy.ask();
}

/// What has to be compiled can be compiled while the first candidates of the batch are measured.
void ShapeRun::expect(const Batch& batch, const std::vector<Candidate>& likely_next) {
  std::vector<Candidate> coming;
  policy_ = policy_of(run_.plan, batch);
  for (const auto& some : {batch.candidates, likely_next})
    for (const auto& candidate : some) {
      if (limits_.reached()) return;
      if (!run_.journal.known(shape_.problem, candidate, context_of(candidate))) coming.push_back(candidate);
    }
  evaluator_.expect(shape_.problem, coming);
}

ShapeResult ShapeRun::verdict(const Candidate& default_choice) const {
  return with_verdict(result_, evidence_.decisive(), default_choice);
}

// The next best is proven when the proof of the best one fails, for as long as there is time.
ShapeResult ShapeRun::with_proof(const Candidate& default_choice) {
  auto result = verdict(default_choice);
  while (result.unproven && prove(result.unproven->candidate)) result = verdict(default_choice);
  return result;
}

bool ShapeRun::prove(const Candidate& candidate) {
  if (!limits_.leaves_time_for_proof()) return false;
  evidence_.begin({.stage = Stage::prove});
  return attempt([&] {
    return evaluate(std::array{candidate}, run_.plan.prove, [&](const Evaluation& proof) { evidence_.add(proof); });
  });
}

// A winner that fails at the second look is none, and so is one that the default choice then beats. The claim of the
// search was about it.
ShapeResult ShapeRun::looked_at_again(ShapeResult result, const Candidate& default_choice) {
  if (!is_doubtful_gain(result)) return result;
  std::vector<Evaluation> looks;
  const std::array both{result.winner->candidate, result.default_choice->candidate};
  evidence_.begin({.stage = Stage::confirm});
  const bool done = !run_.limits.reached() && attempt([&] {
    return evaluate(both, second_look_policy(run_.plan), [&](const Evaluation& look) {
      looks.push_back(look);
      if (look.outcome != Outcome::ok) evidence_.add(look);
    });
  });
  result = verdict(default_choice);
  if (!done) return without_second_look(std::move(result));
  const char* why_no_claim = "the candidate that it was about failed when it was timed again";
  if (result.winner && result.winner->candidate == both[0]) {
    result = with_second_look(std::move(result), looks);
    if (!is_default_faster(result)) return result;
    evidence_.correct(*result.default_choice);
    prove(default_choice);
    why_no_claim = "the default choice was faster when both were timed again";
  }
  if (std::exchange(result_.claim, std::nullopt)) result_.why_no_claim = why_no_claim;
  return with_proof(default_choice);
}

bool ShapeRun::evaluate(std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                        const Listener& listener) {
  policy_ = policy;
  std::vector<Candidate> unknown;
  for (const Candidate& candidate : candidates) {
    if (limits_.reached()) return false;  // a thousand look-ups take a while too
    const auto known = run_.journal.known(shape_.problem, candidate, context_of(candidate));
    if (known) {
      settle_known(*known, listener);
    } else {
      unknown.push_back(candidate);
    }
  }
  const std::size_t together = policy.stage == Stage::confirm ? unknown.size() : handed_over;
  for (std::size_t first = 0; first < unknown.size(); first += together) {
    const auto some = std::span(unknown).subspan(first, std::min(together, unknown.size() - first));
    if (!evaluate_together(some, listener)) return false;
  }
  return true;
}

bool ShapeRun::evaluate_together(std::span<const Candidate> candidates, const Listener& listener) {
  if (limits_.reached()) return false;
  Recorder recorder(*this, listener);
  evaluator_.evaluate(shape_.problem, candidates, policy_, recorder);
  recorder.rethrow_failure();
  if (recorder.count() == candidates.size()) return true;
  if (limits_.reached()) return false;
  fail(ErrorCode::internal, "the evaluator reported {} of {} candidates", recorder.count(), candidates.size());
}

void ShapeRun::settle_new(Evaluation evaluation, double wall_s, const Listener& listener) {
  evaluation.seed = policy_.seed;
  const TrialContext context = context_of(evaluation.candidate);
  run_.journal.add(shape_.problem, evaluation, context);
  ++result_.tried;
  result_.cost += evaluation.cost;
  proof_cost_.add(evaluation, wall_s);
  limits_.expect_proof(proof_cost_.seconds());
  run_.journal.quarantine_if_deadly(shape_.problem, evaluation, context);
  listener(evaluation);
  run_.journal.observe([&](TuneObserver& observer) { observer.candidate_done(shape_, evaluation, false); });
}

// Quarantines the candidate again if necessary: an earlier process may have been killed after it wrote the trial and
// before it wrote the quarantine.
void ShapeRun::settle_known(Evaluation evaluation, const Listener& listener) {
  evaluation.seed = policy_.seed;
  ++result_.reused;
  proof_cost_.add(evaluation, 0);
  limits_.expect_proof(proof_cost_.seconds());
  run_.journal.quarantine_if_deadly(shape_.problem, evaluation, context_of(evaluation.candidate));
  listener(evaluation);
  run_.journal.observe([&](TuneObserver& observer) { observer.candidate_done(shape_, evaluation, true); });
}

TrialContext ShapeRun::context_of(const Candidate& candidate) const {
  const auto version = versions_.find(candidate.family);
  return {.device = device_, .family_version = version == versions_.end() ? "" : version->second, .policy = policy_};
}

}  // namespace gemmtune
