#include "gemmtune/evaluate/local_evaluator.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "gemmtune/evaluate/local_steps.h"
#include "gemmtune/evaluate/stages.h"

namespace gemmtune {
namespace {

struct Answer {
  std::string why_not{};
  std::vector<Candidate> candidates{};
};

/// A family that throws when it is asked applies to nothing. The other families are asked all the same.
Answer ask(const KernelFamily& family, const Problem& problem, const DeviceInfo& device) {
  Answer answer{.why_not = why_invalid(problem)};
  if (!answer.why_not.empty()) return answer;
  const auto failure = failure_of(blame_prepare, [&] {
    answer.why_not = family.supports(problem, device).why_not;
    if (answer.why_not.empty()) answer.candidates = family.candidates(problem, device);
  });
  if (failure) answer = {.why_not = failure->reason};
  return answer;
}

}  // namespace

struct LocalEvaluator::State {
  State(std::unique_ptr<Device> opened, Families available, RunStage runs)
      : device(std::move(opened)), families(std::move(available)), run(std::move(runs)), workloads(*device) {}

  std::unique_ptr<Device> device;
  Families families;
  RunStage run;
  WorkloadCache workloads;
  std::atomic<bool> interrupted{false};
  LocalSteps steps{{*device, families, workloads, interrupted}};
};

LocalEvaluator::LocalEvaluator(std::unique_ptr<Device> device, Families families, RunStage run)
    : state_(std::make_unique<State>(std::move(device), std::move(families), std::move(run))) {}

LocalEvaluator::~LocalEvaluator() = default;

DeviceInfo LocalEvaluator::device() {
  auto info = state_->device->info();
  for (const auto& family : state_->families) info.libraries[std::string(family->name())] = family->version();
  return info;
}

std::vector<FamilySupport> LocalEvaluator::supports(const Problem& problem) {
  std::vector<FamilySupport> answers;
  for (const auto& family : state_->families) {
    const auto answer = ask(*family, problem, state_->device->info());
    answers.push_back({.family = std::string(family->name()),
                       .version = family->version_of_build(),
                       .why_not = answer.why_not,
                       .candidate_count = std::ssize(answer.candidates)});
  }
  return answers;
}

std::vector<Candidate> LocalEvaluator::candidates(const Problem& problem) {
  const auto& device = state_->device->info();
  std::vector<Candidate> all;
  std::vector<Candidate> of_last_resorts;  // not to be taken for what users have where nobody has a default
  for (const auto& family : state_->families) {
    auto theirs = ask(*family, problem, device).candidates;  // supports() reports why there are none
    const bool is_last = !theirs.empty() && family->default_rank(problem) == DefaultRank::last_resort;
    std::ranges::move(theirs, std::back_inserter(is_last ? of_last_resorts : all));
  }
  std::ranges::move(of_last_resorts, std::back_inserter(all));
  return all;
}

void LocalEvaluator::evaluate(const Problem& problem, std::span<const Candidate> candidates,
                              const EvaluationPolicy& policy, EvaluationObserver& observer) {
  state_->interrupted = false;
  state_->steps.release();
  const Workbench bench{*state_->device, state_->families, state_->workloads, state_->interrupted};
  const EvaluationRequest request{problem, candidates, policy};
  try {
    state_->run(bench, request, observer);
  } catch (const DeviceLost& lost) {
    observer.evaluated(lost.culprit());
    throw;
  }
}

Steps* LocalEvaluator::steps() {
  state_->interrupted = false;
  return &state_->steps;
}

void LocalEvaluator::interrupt() { state_->interrupted = true; }

}  // namespace gemmtune
