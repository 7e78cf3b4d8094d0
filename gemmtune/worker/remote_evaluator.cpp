#include "gemmtune/worker/remote_evaluator.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/worker/batch_run.h"
#include "gemmtune/worker/candidate_list.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/remote_steps.h"

namespace gemmtune {

using nlohmann::json;

namespace {

using Kind = WorkerFault::Kind;

json named(const Candidate& candidate) { return {{"family", candidate.family}, {"name", candidate.name}}; }

json question(const char* type, const Problem& problem) { return {{"type", type}, {"problem", to_string(problem)}}; }

}  // namespace

struct RemoteEvaluator::State {
  explicit State(RemoteOptions given) : conversation(std::move(given)) {}

  Conversation conversation;
  RemoteSteps steps{conversation};
  std::map<Candidate, std::string> unusable{};  // candidates that the worker listed and that cannot be asked for: why

  void ensure_worker();
  void evaluate(CandidateBatch& batch, EvaluationObserver& observer);
  void evaluate_alone(CandidateBatch alone, EvaluationObserver& observer);
  std::vector<Candidate> usable(std::span<const Candidate> candidates, Stage stage, EvaluationObserver& observer) const;
};

void RemoteEvaluator::State::ensure_worker() {
  if (!conversation.device() && conversation.ensure_worker())
    fail(ErrorCode::protocol, "interrupted before the worker said hello");
}

/// Without the candidates that the worker listed under names that cannot be used: those are answered here.
std::vector<Candidate> RemoteEvaluator::State::usable(std::span<const Candidate> candidates, Stage stage,
                                                      EvaluationObserver& observer) const {
  std::vector<Candidate> wanted;
  for (const Candidate& candidate : candidates) {
    const auto at = unusable.find(candidate);
    if (at == unusable.end()) {
      wanted.push_back(candidate);
      continue;
    }
    observer.evaluated({.candidate = candidate,
                        .stage = stage,
                        .outcome = Outcome::crashed,
                        .reason = broke_the_protocol(at->second)});
  }
  return wanted;
}

void RemoteEvaluator::State::evaluate(CandidateBatch& batch, EvaluationObserver& observer) {
  PlainObserver plain(observer);
  int unexplained = 0;  // faults in a row while no candidate was running and none was answered
  while (!batch.remaining().empty() && !conversation.interrupted()) {
    const std::size_t before = batch.remaining().size();
    const auto fault = run_batch(conversation, batch, plain, json::object());
    if (batch.remaining().size() < before) unexplained = 0;
    if (!fault) continue;
    conversation.drop_worker(*fault);
    if (fault->kind == Kind::interrupted || batch.remaining().empty()) return;
    if (fault->from_outside) {
      evaluate_alone(batch.take_suspect(), observer);
      continue;
    }
    // The first such fault may be an after-effect of a candidate that already has its answer. The second one is charged
    // to the next candidate. A silence is charged at once: it has already cost a whole time limit.
    if (fault->kind != Kind::silent && !batch.in_flight() && ++unexplained < 2) continue;
    unexplained = 0;
    observer.evaluated(blame(*fault, batch));
  }
}

/// Somebody killed the worker while this candidate was running: it may be innocent, and gets one more chance.
void RemoteEvaluator::State::evaluate_alone(CandidateBatch alone, EvaluationObserver& observer) {
  PlainObserver plain(observer);
  auto fault = run_batch(conversation, alone, plain, json::object());
  if (!fault) return;
  conversation.drop_worker(*fault);
  if (fault->kind == Kind::interrupted || alone.remaining().empty()) return;
  fault->reason += ", when it was tried again alone after its worker had been killed from outside";
  observer.evaluated(blame(*fault, alone));
}

RemoteEvaluator::RemoteEvaluator(RemoteOptions options) : state_(std::make_unique<State>(std::move(options))) {}

RemoteEvaluator::~RemoteEvaluator() { state_->conversation.dismiss(); }

void RemoteEvaluator::begin_start() { state_->conversation.launch(); }

DeviceInfo RemoteEvaluator::device() {
  state_->ensure_worker();
  return *state_->conversation.device();
}

Steps* RemoteEvaluator::steps() {
  state_->ensure_worker();
  return state_->conversation.protocol() < 2 ? nullptr : &state_->steps;
}

std::vector<FamilySupport> RemoteEvaluator::supports(const Problem& problem) {
  state_->conversation.resume();
  const json reply = state_->conversation.ask(question("supports", problem));
  std::vector<FamilySupport> families;
  for (const json& family : JsonFields(reply, "supports").array("families"))
    families.push_back(support_from_json(family));
  return families;
}

std::vector<Candidate> RemoteEvaluator::candidates(const Problem& problem) {
  state_->conversation.resume();
  const json reply = state_->conversation.ask(question("candidates", problem));
  std::vector<Candidate> candidates;
  for (const auto& [candidate, why_unusable] : listed_candidates(reply)) {
    candidates.push_back(candidate);
    state_->unusable.erase(candidate);
    if (!why_unusable.empty()) state_->unusable.emplace(candidate, why_unusable);
  }
  return candidates;
}

/// What is lost with a worker that does not take it is only time.
void RemoteEvaluator::expect(const Problem& problem, std::span<const Candidate> candidates) {
  auto& conversation = state_->conversation;
  if (!conversation.lives() || !conversation.compiles_ahead()) return;
  json request = question("expect", problem);
  request["candidates"] = json::array();
  for (const auto& candidate : candidates)
    if (!state_->unusable.contains(candidate)) request["candidates"].push_back(named(candidate));
  const auto received = conversation.exchange(request, {"done"}, conversation.options().query_timeout_s);
  if (const auto* fault = std::get_if<WorkerFault>(&received)) conversation.drop_worker(*fault);
}

void RemoteEvaluator::evaluate(const Problem& problem, std::span<const Candidate> candidates,
                               const EvaluationPolicy& policy, EvaluationObserver& observer) {
  state_->conversation.resume();
  CandidateBatch batch(problem, state_->usable(candidates, policy.stage, observer), policy);
  try {
    state_->evaluate(batch, observer);
  } catch (...) {
    // The worker is in the middle of a request, and cannot be used for another one.
    state_->conversation.abandon();
    throw;
  }
}

const RemoteStatistics& RemoteEvaluator::statistics() const { return state_->conversation.statistics(); }

void RemoteEvaluator::interrupt() { state_->conversation.interrupt(); }

}  // namespace gemmtune
