#include "gemmtune/worker/remote_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/worker/audit.h"
#include "gemmtune/worker/batch_run.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/step_messages.h"

namespace gemmtune {

using nlohmann::json;

namespace {

using Kind = WorkerFault::Kind;

json name_of(const Candidate& candidate) { return {{"family", candidate.family}, {"name", candidate.name}}; }

Outcome outcome_of(const WorkerFault& fault) {
  return fault.kind == Kind::silent ? Outcome::timed_out : Outcome::crashed;
}

/// What a worker holds is lost with it, so it is passed on only once the request is done. Failures are final.
class HoldCollector final : public HoldObserver {
 public:
  HoldCollector(HoldObserver& observer, std::vector<Candidate> wanted)
      : observer_(observer), wanted_(std::move(wanted)) {}

  void started(const Candidate& candidate) override { observer_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override {
    std::erase(wanted_, evaluation.candidate);
    observer_.evaluated(evaluation);
  }
  void held(const HeldCandidate& candidate) override { held_.push_back(candidate); }
  void postponed(const Candidate& candidate) override { postponed_.push_back(candidate); }

  const std::vector<Candidate>& wanted() const { return wanted_; }

  void forget() {
    held_.clear();
    postponed_.clear();
  }

  void pass_on() const {
    for (const auto& candidate : held_) observer_.held(candidate);
    for (const auto& candidate : postponed_) observer_.postponed(candidate);
  }

 private:
  HoldObserver& observer_;
  std::vector<Candidate> wanted_;
  std::vector<HeldCandidate> held_;
  std::vector<Candidate> postponed_;
};

/// Samples that together are longer than the turn was, by the supervisor's clock, are no measurements. The device's
/// clock may differ a little.
void insist_on_possible_time(const Turn& turn, double waited_s) {
  constexpr double tolerance = 1.02;
  const double sum_s = std::accumulate(turn.samples_us.begin(), turn.samples_us.end(), 0.0) / 1e6;
  if (sum_s > tolerance * waited_s)
    fail(ErrorCode::protocol, "samples.samples_us: {} s in all, but the answer came after {} s", sum_s, waited_s);
}

}  // namespace

/// Whether somebody killed the worker while this candidate was running, for the first time. It may be innocent then,
/// and gets one more chance.
bool RemoteSteps::spares(const Candidate& candidate, const WorkerFault& fault) {
  return fault.from_outside && spared_.emplace(problem_, candidate).second;
}

void RemoteSteps::hold(const HoldRequest& request, HoldObserver& observer) {
  conversation_.resume();
  problem_ = request.problem;
  policy_ = request.policy;
  HoldCollector collector(observer, {request.candidates.begin(), request.candidates.end()});
  int unexplained = 0;  // faults in a row while no candidate was running
  while (!collector.wanted().empty() && !conversation_.interrupted()) {
    const auto wanted = collector.wanted();
    collector.forget();
    CandidateBatch batch(problem_, wanted, policy_, Purpose::hold);
    const auto fault = run_batch(conversation_, batch, collector, {{"memory_share", request.memory_share}});
    if (!fault && batch.remaining().empty()) return collector.pass_on();
    if (!fault) continue;  // one was refused: the others are asked for again
    conversation_.drop_worker(*fault);
    if (fault->kind == Kind::interrupted) return;
    if (fault->kind != Kind::silent && !batch.in_flight() && ++unexplained < 2) continue;
    unexplained = 0;
    if (batch.remaining().empty()) batch = CandidateBatch(problem_, collector.wanted(), policy_, Purpose::hold);
    if (batch.remaining().empty() || spares(batch.suspect(), *fault)) continue;
    collector.evaluated(blame(*fault, batch));
  }
}

TurnResult RemoteSteps::lost(const Candidate& candidate, const WorkerFault& fault) {
  conversation_.drop_worker(fault);
  if (spares(candidate, fault))
    return TurnFailure{.evaluation = {.candidate = candidate, .stage = Stage::confirm}, .process = Process::lost};
  return TurnFailure{.evaluation = {.candidate = candidate,
                                    .stage = Stage::confirm,
                                    .outcome = outcome_of(fault),
                                    .reason = fault.reason},
                     .process = Process::lost};
}

TurnResult RemoteSteps::sample(const Candidate& candidate, const TurnRequest& turn) {
  if (conversation_.interrupted() || !conversation_.lives())
    return TurnFailure{.evaluation = {.candidate = candidate, .stage = Stage::confirm}, .process = Process::lost};
  json request = to_json_value(turn);
  request["type"] = "sample";
  request["candidate"] = name_of(candidate);
  const auto start = SteadyClock::now();
  const auto received =
      conversation_.exchange(request, {"samples", "evaluation"}, conversation_.options().candidate_timeout_s);
  if (const auto* fault = std::get_if<WorkerFault>(&received)) return lost(candidate, *fault);
  try {
    auto result = taken(std::get<json>(received), candidate, turn);
    if (const auto* samples = std::get_if<Turn>(&result)) insist_on_possible_time(*samples, seconds_since(start));
    return result;
  } catch (const Error& error) {
    return lost(candidate, {Kind::nonsense, broke_the_protocol(error.what())});
  }
}

TurnResult RemoteSteps::taken(const json& reply, const Candidate& candidate, const TurnRequest& turn) {
  if (reply.at("type") == "samples") return turn_from_json(reply, turn);
  if (reply.at("type") == "error") {
    const auto why = JsonFields(reply, "message").shown_text("message");
    return TurnFailure{{.candidate = candidate,
                        .stage = Stage::confirm,
                        .outcome = Outcome::launch_failed,
                        .reason = "the worker refused: " + why}};
  }
  auto evaluation = evaluation_from_json(JsonFields(reply, "message").member("evaluation"));
  if (evaluation.outcome == Outcome::ok)
    fail(ErrorCode::protocol, "evaluation.outcome: 'ok' answers no sample request");
  evaluation.candidate = candidate;
  return TurnFailure{audited_without_times(std::move(evaluation), {problem_, policy_})};
}

Process RemoteSteps::settle(std::span<const Candidate> candidates, EvaluationObserver& observer) {
  if (conversation_.interrupted() || !conversation_.lives()) return Process::lost;
  CandidateBatch batch(problem_, candidates, policy_, Purpose::settle);
  PlainObserver plain(observer);
  auto fault = run_batch(conversation_, batch, plain, json::object());
  while (!fault && !batch.remaining().empty()) fault = run_batch(conversation_, batch, plain, json::object());
  if (!fault) return Process::lives;
  conversation_.drop_worker(*fault);
  if (fault->kind == Kind::interrupted || batch.remaining().empty()) return Process::lost;
  if (!spares(batch.suspect(), *fault)) observer.evaluated(blame(*fault, batch));
  return Process::lost;
}

void RemoteSteps::release() {
  if (conversation_.interrupted() || !conversation_.lives()) return;
  const auto received =
      conversation_.exchange({{"type", "release"}}, {"done"}, conversation_.options().query_timeout_s);
  if (const auto* fault = std::get_if<WorkerFault>(&received)) conversation_.drop_worker(*fault);
}

Product RemoteSteps::multiply(const ProductRequest& request) {
  conversation_.resume();
  auto made = multiply_once(request);
  if (const auto* fault = std::get_if<WorkerFault>(&made); fault != nullptr && fault->from_outside)
    made = multiply_once(request);
  if (auto* product = std::get_if<Product>(&made)) return std::move(*product);
  const auto& fault = std::get<WorkerFault>(made);
  return {outcome_of(fault), fault.reason};
}

std::variant<Product, WorkerFault> RemoteSteps::multiply_once(const ProductRequest& request) {
  auto fault = conversation_.ensure_worker();
  if (!fault) {
    json message = to_json_value(request);
    message["type"] = "multiply";
    const auto received = conversation_.exchange(message, {"product"}, conversation_.options().candidate_timeout_s);
    try {
      const auto* reply = std::get_if<json>(&received);
      if (reply != nullptr && reply->at("type") == "error")
        return Product{Outcome::launch_failed,
                       "the worker refused: " + JsonFields(*reply, "message").shown_text("message")};
      if (reply != nullptr) return product_from_json(*reply, request);
      fault = std::get<WorkerFault>(received);
    } catch (const Error& error) {
      fault = WorkerFault{Kind::nonsense, broke_the_protocol(error.what())};
    }
  }
  conversation_.drop_worker(*fault);
  return *std::move(fault);
}

}  // namespace gemmtune
