#include "gemmtune/tune/shape_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "gemmtune/core/clock.h"
#include "gemmtune/tune/candidates.h"
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
  Recorder(ShapeRun& run, Strategy& strategy) : run_(run), strategy_(strategy) {}

  void started(const Candidate& /*candidate*/) override {}

  void evaluated(const Evaluation& evaluation) override {
    if (failure_) return;
    try {
      run_.settle_new(evaluation, strategy_);
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
  Strategy& strategy_;
  std::size_t count_{};
  std::exception_ptr failure_;
};

ShapeRun::ShapeRun(RunParts run, const Shape& shape, Evaluator& evaluator)
    : run_(run), shape_(shape), evaluator_(evaluator), device_(evaluator.device()) {
  result_.shape = shape;
}

ShapeResult ShapeRun::result() {
  const auto start = SteadyClock::now();
  ShapeResult result = without_wall_time();
  result.wall_s = seconds_since(start);
  return result;
}

ShapeResult ShapeRun::without_wall_time() {
  const auto to_try = candidates();
  run_.journal.observe([&](TuneObserver& observer) { observer.shape_started(shape_, to_try.size()); });
  if (to_try.empty()) return result_;
  const auto strategy = make_strategy(run_.plan.search, to_try, run_.neighbours.about(shape_.problem), run_.plan.regret);
  try {
    result_.complete = search(*strategy);
    if (!result_.complete) result_.cut_short_by = run_.limits.reason();
  } catch (const std::exception& error) {
    if (!run_.journal.failure() && ends_worker(error)) throw;
    result_.cut_short_by = error.what();
  }
  result_.claim = strategy->claim();
  for (const auto& time : evidence_.times()) run_.neighbours.add(shape_.problem, time);
  return with_verdict(std::move(result_), evidence_.decisive(), to_try.front());
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

bool ShapeRun::search(Strategy& strategy) {
  while (true) {
    const Batch batch = ask(strategy);
    if (batch.empty()) return true;
    if (!evaluate(batch, strategy)) return false;
  }
}

Batch ShapeRun::ask(Strategy& strategy) {
  const ScopedSeconds thinking(result_.search_s);
  return strategy.ask();
}

bool ShapeRun::evaluate(const Batch& batch, Strategy& strategy) {
  policy_ = policy_of(run_.plan, batch);
  evidence_.begin(batch);
  std::vector<Candidate> unknown;
  for (const Candidate& candidate : batch.candidates) {
    const auto known = run_.journal.known(shape_.problem, candidate, context_of(candidate));
    if (known) {
      settle_known(*known, strategy);
    } else {
      unknown.push_back(candidate);
    }
  }
  const std::size_t together = batch.stage == Stage::confirm ? unknown.size() : handed_over;
  for (std::size_t first = 0; first < unknown.size(); first += together) {
    const auto candidates = std::span(unknown).subspan(first, std::min(together, unknown.size() - first));
    if (!evaluate_together(candidates, strategy)) return false;
  }
  return true;
}

bool ShapeRun::evaluate_together(std::span<const Candidate> candidates, Strategy& strategy) {
  if (run_.limits.reached()) return false;
  Recorder recorder(*this, strategy);
  evaluator_.evaluate(shape_.problem, candidates, policy_, recorder);
  recorder.rethrow_failure();
  if (recorder.count() == candidates.size()) return true;
  if (run_.limits.reached()) return false;
  fail(ErrorCode::internal, "the evaluator reported {} of {} candidates", recorder.count(), candidates.size());
}

void ShapeRun::settle_new(const Evaluation& evaluation, Strategy& strategy) {
  const TrialContext context = context_of(evaluation.candidate);
  run_.journal.add(shape_.problem, evaluation, context);
  ++result_.tried;
  result_.cost += evaluation.cost;
  settle(evaluation, strategy, context);
  run_.journal.observe([&](TuneObserver& observer) { observer.candidate_done(shape_, evaluation, false); });
}

// Quarantines the candidate again if necessary: an earlier process may have been killed after it wrote the trial and
// before it wrote the quarantine.
void ShapeRun::settle_known(const Evaluation& evaluation, Strategy& strategy) {
  ++result_.reused;
  settle(evaluation, strategy, context_of(evaluation.candidate));
  run_.journal.observe([&](TuneObserver& observer) { observer.candidate_done(shape_, evaluation, true); });
}

void ShapeRun::settle(const Evaluation& evaluation, Strategy& strategy, const TrialContext& context) {
  run_.journal.quarantine_if_deadly(shape_.problem, evaluation, context);
  evidence_.add(evaluation);
  strategy.tell(evaluation);
}

TrialContext ShapeRun::context_of(const Candidate& candidate) const {
  const auto version = versions_.find(candidate.family);
  return {.device = device_, .family_version = version == versions_.end() ? "" : version->second, .policy = policy_};
}

}  // namespace gemmtune
