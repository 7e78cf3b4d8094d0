#include "gemmtune/tune/journal.h"

#include <utility>

#include "gemmtune/worker/audit.h"

namespace gemmtune {
namespace {

bool is_deadly(Outcome outcome) { return outcome == Outcome::crashed || outcome == Outcome::timed_out; }

}  // namespace

Journal::Journal(const TunePlan& plan, TrialStore& store, TuneObserver& observer, Limits& limits)
    : plan_(plan), store_(store), observer_(observer), limits_(limits) {
  for (Quarantined& entry : store_.quarantined()) {
    Key key{entry.device, entry.problem, entry.candidate};
    quarantine_.emplace(std::move(key), std::move(entry));
  }
}

// The trial takes precedence over the quarantine: a resumed run must see the same evaluations as the first run, or its
// search takes another course.
std::optional<Evaluation> Journal::known(const Problem& problem, const Candidate& candidate,
                                         const TrialContext& context) {
  if (plan_.reuse_trials) {
    auto trial = guarded([&] { return store_.find(problem, candidate, context.policy.stage, context); });
    // A store is a file, and earlier versions believed more than this one does.
    if (trial && why_not_reusable(*trial, {problem, context.policy}).empty()) return trial;
  }
  return quarantined(problem, candidate, context);
}

std::optional<Evaluation> Journal::quarantined(const Problem& problem, const Candidate& candidate,
                                               const TrialContext& context) {
  const std::scoped_lock lock(mutex_);
  const auto at = quarantine_.find({model_of(context.device), problem, candidate});
  if (at == quarantine_.end()) return std::nullopt;
  return Evaluation{.candidate = candidate,
                    .stage = context.policy.stage,
                    .outcome = at->second.outcome,
                    .reason = "quarantined: " + at->second.reason};
}

void Journal::add(const Problem& problem, const Evaluation& evaluation, const TrialContext& context) {
  guarded([&] { store_.add(problem, evaluation, context); });
}

void Journal::quarantine_if_deadly(const Problem& problem, const Evaluation& evaluation, const TrialContext& context) {
  if (!is_deadly(evaluation.outcome)) return;
  const Quarantined entry{.device = model_of(context.device),
                          .problem = problem,
                          .candidate = evaluation.candidate,
                          .outcome = evaluation.outcome,
                          .reason = evaluation.reason,
                          .reproducer = reproducer(plan_.program, problem, evaluation)};
  {
    const std::scoped_lock lock(mutex_);
    if (!quarantine_.emplace(Key{entry.device, problem, evaluation.candidate}, entry).second) return;
  }
  guarded([&] { store_.quarantine(entry); });
}

std::exception_ptr Journal::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

void Journal::remember_failure(std::exception_ptr failure) {
  limits_.abort();
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
}

}  // namespace gemmtune
