#include "gemmtune/worker/composite_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/steps.h"
#include "gemmtune/worker/greeting.h"
#include "gemmtune/worker/turns_across.h"

namespace gemmtune {
namespace {

constexpr const char* cannot_be_audited =
    "its results cannot be audited, because its worker speaks version 1 of the protocol: it cannot win unless "
    "workers.toml says that the worker is trusted";

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// Keeps evaluations until the worker's request is done: only then can it be asked for a product.
class Keeper final : public EvaluationObserver {
 public:
  explicit Keeper(EvaluationObserver& observer) : observer_(observer) {}

  void started(const Candidate& candidate) override { observer_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override { kept_.push_back(evaluation); }
  std::vector<Evaluation> take() { return std::exchange(kept_, {}); }

 private:
  EvaluationObserver& observer_;
  std::vector<Evaluation> kept_;
};

}  // namespace

struct CompositeEvaluator::Asked {
  const Problem& problem;
  std::span<const Candidate> candidates;
  const EvaluationPolicy& policy;
};

/// Passes on the evaluations of a worker that is trusted, as they come.
class CompositeEvaluator::Believer final : public EvaluationObserver {
 public:
  Believer(EvaluationObserver& observer, double& fastest_us) : observer_(observer), fastest_us_(fastest_us) {}

  void started(const Candidate& candidate) override { observer_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override {
    const double median_us = evaluation.timing.median_us;
    if (evaluation.outcome == Outcome::ok && median_us > 0) fastest_us_ = std::min(fastest_us_, median_us);
    observer_.evaluated(evaluation);
  }

 private:
  EvaluationObserver& observer_;
  double& fastest_us_;
};

CompositeEvaluator::CompositeEvaluator(DeviceInfo device, std::vector<Member> members,
                                       std::map<std::string, std::string> absent)
    : device_(std::move(device)), members_(std::move(members)), absent_(std::move(absent)) {}

CompositeEvaluator::~CompositeEvaluator() = default;

DeviceInfo CompositeEvaluator::device() {
  start();
  return device_;
}

/// All at the same time: a program may take seconds to load its libraries.
void CompositeEvaluator::begin_start() {
  for (auto& member : members_) member.evaluator->begin_start();
}

void CompositeEvaluator::start() {
  if (std::exchange(is_started_, true)) return;
  begin_start();
  std::string why_none = "there are no workers";
  for (auto& member : members_) {
    try {
      if (const auto why = why_not_beside(device_, member.evaluator->device()); !why.empty())
        fail(ErrorCode::protocol, "the worker {} serves another device: {}", member.name, why);
      ready_.push_back(&member);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::no_device || member.trust == Trust::trusted) throw;
      why_none = error.what();
      remarks_.insert(fmt::format("left out: {}", why_none));
      for (const auto& family : member.families) absent_.emplace(family, why_none);
    }
  }
  if (ready_.empty()) fail(ErrorCode::no_device, "{}", why_none);
}

std::vector<FamilySupport> CompositeEvaluator::supports(const Problem& problem) {
  start();
  routes_.clear();
  std::vector<FamilySupport> all;
  for (auto* member : ready_) {
    for (auto& support : member->evaluator->supports(problem)) {
      if (!is_in(member->families, support.family)) continue;
      const auto [known, is_new] = routes_.emplace(support.family, member);
      if (!is_new && member->candidates.empty())
        fail(ErrorCode::usage, "the workers {} and {} both offer a family {}", known->second->name, member->name,
             support.family);
      if (is_new) all.push_back(std::move(support));
    }
  }
  for (const auto& [family, why] : absent_) all.push_back({.family = family, .why_not = why});
  return all;
}

std::vector<Candidate> CompositeEvaluator::candidates(const Problem& problem) {
  if (routes_.empty()) supports(problem);
  std::vector<Candidate> all;
  for (auto* member : ready_) {
    for (auto& candidate : member->evaluator->candidates(problem))
      if (is_in(member->families, candidate.family) && is_in(member->candidates, candidate.name))
        all.push_back(std::move(candidate));
  }
  return all;
}

Member* CompositeEvaluator::member_of(const Candidate& candidate) {
  for (auto* member : ready_)
    if (!member->candidates.empty() && is_in(member->candidates, candidate.name)) return member;
  const auto found = routes_.find(candidate.family);
  return found == routes_.end() ? nullptr : found->second;
}

std::map<Member*, std::vector<Candidate>> CompositeEvaluator::shares(const Asked& asked, EvaluationObserver& observer) {
  std::map<Member*, std::vector<Candidate>> all;
  for (const auto& candidate : asked.candidates) {
    if (Member* member = member_of(candidate))
      all[member].push_back(candidate);
    else
      observer.evaluated({.candidate = candidate,
                          .stage = asked.policy.stage,
                          .outcome = Outcome::unsupported,
                          .reason = fmt::format("no worker of this device has a family {}", candidate.family)});
  }
  return all;
}

void CompositeEvaluator::expect(const Problem& problem, std::span<const Candidate> candidates) {
  std::map<Member*, std::vector<Candidate>> shares;
  for (const auto& candidate : candidates)
    if (Member* member = member_of(candidate)) shares[member].push_back(candidate);
  for (const auto& [member, share] : shares) member->evaluator->expect(problem, share);
}

void CompositeEvaluator::begin(const Problem& problem) {
  interrupted_ = false;
  if (routes_.empty()) supports(problem);
  if (problem == problem_) return;
  problem_ = problem;
  audited_.clear();
  fastest_us_ = std::numeric_limits<double>::infinity();
}

void CompositeEvaluator::evaluate(const Problem& problem, std::span<const Candidate> candidates,
                                  const EvaluationPolicy& policy, EvaluationObserver& observer) {
  begin(problem);
  const Asked asked{problem, candidates, policy};
  if (policy.stage == Stage::confirm) return confirm(asked, observer);
  for (const auto& [member, share] : shares(asked, observer)) evaluate_share(asked, *member, share, observer);
}

void CompositeEvaluator::evaluate_share(const Asked& asked, Member& member, std::span<const Candidate> candidates,
                                        EvaluationObserver& observer) {
  if (interrupted_) return;
  if (member.trust == Trust::trusted) {
    Believer believer(observer, fastest_us_);
    return member.evaluator->evaluate(asked.problem, candidates, asked.policy, believer);
  }
  Keeper keeper(observer);
  member.evaluator->evaluate(asked.problem, candidates, asked.policy, keeper);
  for (auto& evaluation : keeper.take()) {
    auto result = judged(asked, member, std::move(evaluation));
    if (interrupted_) return;
    observer.evaluated(result);
  }
}

void CompositeEvaluator::confirm(const Asked& asked, EvaluationObserver& observer) {
  auto by_member = shares(asked, observer);
  const bool several = by_member.size() > 1;
  if (several) confirm_together(asked, by_member, observer);
  for (const auto& [member, share] : by_member) {
    if (several && member->evaluator->steps() == nullptr)
      remarks_.insert(fmt::format(
          "the times of {} were not taken in turns with those of other workers: it speaks version 1 of the protocol",
          member->name));
    evaluate_share(asked, *member, share, observer);
  }
}

/// Takes out the shares of workers that can be timed in turns, if there are two of them. False if there are not.
bool CompositeEvaluator::confirm_together(const Asked& asked, std::map<Member*, std::vector<Candidate>>& shares,
                                          EvaluationObserver& observer) {
  std::vector<ProcessShare> in_turns;
  for (const auto& [member, share] : shares)
    if (Steps* steps = member->evaluator->steps()) in_turns.push_back({steps, share});
  if (in_turns.size() < 2) return false;
  Keeper keeper(observer);
  confirm_across({asked.problem, asked.policy, device_.kind, interrupted_}, std::move(in_turns), keeper);
  std::erase_if(shares, [](const auto& entry) { return entry.first->evaluator->steps() != nullptr; });
  for (auto& evaluation : keeper.take()) {
    Member& member = *member_of(evaluation.candidate);
    auto result = judged(asked, member, std::move(evaluation));
    if (interrupted_) return true;
    observer.evaluated(result);
  }
  return true;
}

/// A candidate that claims to be the fastest so far is audited when it is screened, every one before it counts as
/// confirmed, and winners again.
bool CompositeEvaluator::needs_audit(const Evaluation& evaluation) const {
  if (evaluation.stage == Stage::prove) return true;
  if (audited_.contains(evaluation.candidate)) return false;
  return evaluation.stage == Stage::confirm || evaluation.timing.median_us < fastest_us_;
}

Evaluation CompositeEvaluator::judged(const Asked& asked, Member& member, Evaluation evaluation) {
  if (evaluation.outcome != Outcome::ok) return evaluation;
  const double median_us = evaluation.timing.median_us;
  if (member.trust == Trust::audited) {
    if (auto failure = audit(asked, member, evaluation); failure.outcome != Outcome::ok) {
      evaluation.outcome = failure.outcome;
      evaluation.reason = std::move(failure.reason);
      evaluation.timing = {};
      return evaluation;
    }
    if (!audited_.contains(evaluation.candidate)) return evaluation;
  }
  if (median_us > 0) fastest_us_ = std::min(fastest_us_, median_us);
  return evaluation;
}

Failure CompositeEvaluator::audit(const Asked& asked, Member& member, const Evaluation& evaluation) {
  if (!needs_audit(evaluation) || interrupted_) return {};
  Steps* steps = member.evaluator->steps();
  if (steps == nullptr) {
    if (evaluation.stage == Stage::prove) return {Outcome::unsupported, cannot_be_audited};
    remarks_.insert(fmt::format("{}: {}", member.name, cannot_be_audited));
    return {};
  }
  const ProductAudit::Subject subject{asked.problem, evaluation.candidate, asked.policy.verify};
  auto failure = evaluation.stage == Stage::prove ? audit_.audit_anew(*steps, subject) : audit_.audit(*steps, subject);
  if (failure.outcome == Outcome::ok) audited_.insert(evaluation.candidate);
  return failure;
}

void CompositeEvaluator::interrupt() {
  interrupted_ = true;
  for (auto& member : members_) member.evaluator->interrupt();
}

}  // namespace gemmtune
