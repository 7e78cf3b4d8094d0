#include "gemmtune/worker/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"

namespace gemmtune {

using nlohmann::json;

namespace {

using Kind = WorkerFault::Kind;

/// A refusal while a candidate is running concerns that candidate. A refusal before that concerns the whole request.
void report_refusal(const BatchRefused& refused, CandidateBatch& batch, EvaluationObserver& observer) {
  const std::string reason = "the worker refused: " + refused.message;
  if (batch.in_flight()) return observer.evaluated(batch.blame(Outcome::launch_failed, reason));
  while (!batch.remaining().empty()) observer.evaluated(batch.blame(Outcome::launch_failed, reason));
}

/// What observers hear of an event. Those that end a request are none of theirs.
struct Telling {
  HoldObserver& observer;

  void operator()(const Candidate& candidate) const { observer.started(candidate); }
  void operator()(const Evaluation& evaluation) const { observer.evaluated(evaluation); }
  void operator()(const HeldCandidate& candidate) const { observer.held(candidate); }
  void operator()(const Postponed& postponed) const { observer.postponed(postponed.candidate); }
  void operator()(const BatchDone& /*end*/) const {}
  void operator()(const BatchRefused& /*end*/) const {}
};

class BatchRun {
 public:
  BatchRun(Conversation& conversation, CandidateBatch& batch, HoldObserver& observer)
      : conversation_(conversation), batch_(batch), observer_(observer) {}

  std::optional<WorkerFault> run(const json& more) {
    if (auto fault = conversation_.ensure_worker()) return fault;
    json request = batch_.request(0);
    request.update(more);
    const auto id = conversation_.send(std::move(request));
    // Each candidate has its own time limit. This limit ends a worker that starts the same candidate again and again.
    end_ = seconds_from_now(candidate_timeout_s() * static_cast<double>(batch_.remaining().size() + 1));
    for (;;) {
      const auto received = receive();
      if (const auto* fault = std::get_if<WorkerFault>(&received)) return *fault;
      BatchEvent event;
      try {
        event = batch_.take(std::get<json>(received), id);
      } catch (const Error& error) {
        return WorkerFault{Kind::nonsense, broke_the_protocol(error.what())};
      }
      std::visit(Telling{observer_}, event);
      if (const auto* refused = std::get_if<BatchRefused>(&event)) report_refusal(*refused, batch_, observer_);
      if (std::holds_alternative<BatchDone>(event) || std::holds_alternative<BatchRefused>(event)) return std::nullopt;
    }
  }

 private:
  double candidate_timeout_s() const { return conversation_.options().candidate_timeout_s; }

  Conversation::Received receive() {
    const double patience =
        batch_.remaining().empty() ? conversation_.options().query_timeout_s : candidate_timeout_s();
    auto received = conversation_.receive(std::min(seconds_from_now(patience), end_));
    const auto* fault = std::get_if<WorkerFault>(&received);
    if (fault == nullptr || fault->kind != Kind::silent) return received;
    if (SteadyClock::now() >= end_)
      return WorkerFault{Kind::silent, "the worker kept starting candidates and finished none"};
    return WorkerFault{Kind::silent, fmt::format("the worker said nothing for {} s", patience)};
  }

  Conversation& conversation_;
  CandidateBatch& batch_;
  HoldObserver& observer_;
  Deadline end_{};
};

}  // namespace

std::optional<WorkerFault> run_batch(Conversation& conversation, CandidateBatch& batch, HoldObserver& observer,
                                     const json& more) {
  return BatchRun(conversation, batch, observer).run(more);
}

Evaluation blame(const WorkerFault& fault, CandidateBatch& batch) {
  const char* when = batch.in_flight() ? "" : ", before it said which candidate it runs";
  const Outcome outcome = fault.kind == Kind::silent ? Outcome::timed_out : Outcome::crashed;
  return batch.blame(outcome, fault.reason + when);
}

}  // namespace gemmtune
