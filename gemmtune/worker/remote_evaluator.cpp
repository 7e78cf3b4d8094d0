#include "gemmtune/worker/remote_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/worker/batch.h"
#include "gemmtune/worker/candidate_list.h"
#include "gemmtune/worker/greeting.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"
#include "gemmtune/worker/worker_process.h"

namespace gemmtune {

using nlohmann::json;

namespace {

using Kind = WorkerFault::Kind;
using Received = std::variant<json, WorkerFault>;

Deadline after(double seconds) {
  constexpr double a_year = 3.2e7;
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                  std::chrono::duration<double>(std::clamp(seconds, 0.0, a_year)));
}

json question(const char* type, std::int64_t id, const Problem& problem) {
  return {{"type", type}, {"id", id}, {"problem", to_string(problem)}};
}

std::string broke_the_protocol(const std::string& how) { return "the worker broke the protocol: " + how; }

/// A refusal while a candidate is running concerns that candidate. A refusal before that concerns the whole request.
void report_refusal(const BatchRefused& refused, CandidateBatch& batch, EvaluationObserver& observer) {
  const std::string reason = "the worker refused: " + refused.message;
  if (batch.in_flight()) return observer.evaluated(batch.blame(Outcome::launch_failed, reason));
  while (!batch.remaining().empty()) observer.evaluated(batch.blame(Outcome::launch_failed, reason));
}

Evaluation blame(const WorkerFault& fault, CandidateBatch& batch) {
  const char* when = batch.in_flight() ? "" : ", before it said which candidate it runs";
  const Outcome outcome = fault.kind == Kind::silent ? Outcome::timed_out : Outcome::crashed;
  return batch.blame(outcome, fault.reason + when);
}

}  // namespace

struct RemoteEvaluator::State {
  explicit State(RemoteOptions given) : options(std::move(given)) {}

  RemoteOptions options;
  RemoteStatistics statistics{};
  std::atomic<bool> interrupted{false};
  std::optional<WorkerProcess> worker{};
  std::optional<DeviceInfo> device{};
  std::map<Candidate, std::string> unusable{};  // candidates that the worker listed and that cannot be asked for: why
  std::int64_t last_id{};

  std::optional<WorkerFault> ensure_worker();
  std::optional<WorkerFault> greet();
  void read_hello(const json& message);
  Received receive(Deadline deadline);
  std::string command() const { return join(options.command, " "); }

  void drop_worker(const WorkerFault& fault);

  json ask(const char* type, const Problem& problem);
  Received ask_once(const char* type, const Problem& problem);

  std::optional<WorkerFault> run(CandidateBatch& batch, EvaluationObserver& observer);
  void evaluate(CandidateBatch& batch, EvaluationObserver& observer);
  std::vector<Candidate> usable(std::span<const Candidate> candidates, Stage stage, EvaluationObserver& observer) const;
};

/// Makes sure that a worker is ready that has said hello. Returns the interrupt when one prevented that. Throws when no
/// worker can be started.
std::optional<WorkerFault> RemoteEvaluator::State::ensure_worker() {
  if (worker) {
    // No candidate is to blame for what happens between requests.
    if (const auto fault = worker->fault_while_idle()) drop_worker(*fault);
  }
  std::string last_reason;
  for (int attempt = 0; !worker && attempt < std::max(options.start_attempts, 1); ++attempt) {
    ++statistics.starts;
    worker.emplace(options.command, SubprocessOptions{.memory_limit_bytes = options.memory_limit_bytes}, interrupted);
    const auto fault = greet();
    if (!fault) return std::nullopt;
    drop_worker(*fault);
    if (fault->kind == Kind::interrupted) return fault;
    last_reason = fault->reason;
  }
  if (worker) return std::nullopt;
  fail(ErrorCode::protocol, "no worker: '{}' did not say hello, tried {} times: {}", command(), options.start_attempts,
       last_reason);
}

std::optional<WorkerFault> RemoteEvaluator::State::greet() {
  const Received received = receive(after(options.start_timeout_s));
  if (const auto* fault = std::get_if<WorkerFault>(&received)) return *fault;
  try {
    read_hello(std::get<json>(received));
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::protocol) return WorkerFault{Kind::nonsense, error.what()};
    worker.reset();
    throw;
  }
}

void RemoteEvaluator::State::read_hello(const json& message) {
  const JsonFields fields(message, "hello");
  if (fields.text("type") == "error")
    fail(ErrorCode::no_device, "the worker '{}' cannot start: {}", command(), fields.shown_text("message"));
  DeviceInfo greeted = greeted_device(message);
  if (!device)
    device = std::move(greeted);
  else if (const auto why = why_other_device(*device, greeted); !why.empty())
    fail(ErrorCode::protocol, "{}", why);
}

Received RemoteEvaluator::State::receive(Deadline deadline) {
  const ScopedSeconds waiting(statistics.waiting_s);
  return worker->receive(deadline);
}

void RemoteEvaluator::State::drop_worker(const WorkerFault& fault) {
  if (fault.kind == Kind::died) ++statistics.crashes;
  if (fault.kind == Kind::silent) ++statistics.timeouts;
  if (fault.kind == Kind::nonsense) ++statistics.protocol_errors;
  worker.reset();
}

/// Repeats the question until a worker answers. Each attempt after a fault goes to a fresh worker.
json RemoteEvaluator::State::ask(const char* type, const Problem& problem) {
  std::string last_reason;
  for (int attempt = 0; attempt < std::max(options.start_attempts, 1); ++attempt) {
    const Received received = ask_once(type, problem);
    if (const auto* reply = std::get_if<json>(&received)) return *reply;
    const auto& fault = std::get<WorkerFault>(received);
    drop_worker(fault);
    if (fault.kind == Kind::interrupted) break;
    last_reason = fault.reason;
  }
  if (interrupted) fail(ErrorCode::protocol, "interrupted before the worker answered '{}'", type);
  fail(ErrorCode::protocol, "the worker '{}' does not answer '{}': {}", command(), type, last_reason);
}

Received RemoteEvaluator::State::ask_once(const char* type, const Problem& problem) {
  if (auto fault = ensure_worker()) return *std::move(fault);
  const std::int64_t id = ++last_id;
  const Deadline deadline = after(options.query_timeout_s);
  worker->send(question(type, id, problem), deadline);
  Received received = receive(deadline);
  const auto* reply = std::get_if<json>(&received);
  if (reply == nullptr) return received;
  const std::string found = reply->at("type").get<std::string>();
  if (!reply->contains("id") || reply->at("id") != json(id) || (found != type && found != "error")) {
    return WorkerFault{Kind::nonsense,
                       fmt::format("expected '{}' with id {}, found {}", type, id, quote(reply->dump()))};
  }
  if (found == "error") fail(ErrorCode::unsupported, "{}", JsonFields(*reply, "message").shown_text("message"));
  return received;
}

/// Sends the remaining candidates and reports the answers until the request is done or the worker fails.
std::optional<WorkerFault> RemoteEvaluator::State::run(CandidateBatch& batch, EvaluationObserver& observer) {
  if (auto fault = ensure_worker()) return fault;
  const std::int64_t id = ++last_id;
  // The result can be ignored: a worker that did not take the request does not answer it.
  worker->send(batch.request(id), after(options.query_timeout_s));
  // Each candidate has its own time limit. This limit ends a worker that starts the same candidate again and again.
  const Deadline end = after(options.candidate_timeout_s * static_cast<double>(batch.remaining().size() + 1));
  for (;;) {
    const double patience = batch.remaining().empty() ? options.query_timeout_s : options.candidate_timeout_s;
    const Received received = receive(std::min(after(patience), end));
    if (const auto* fault = std::get_if<WorkerFault>(&received)) {
      if (fault->kind != Kind::silent) return *fault;
      if (SteadyClock::now() >= end)
        return WorkerFault{Kind::silent, "the worker kept starting candidates and finished none"};
      return WorkerFault{Kind::silent, fmt::format("the worker said nothing for {} s", patience)};
    }
    BatchEvent event;
    try {
      event = batch.take(std::get<json>(received), id);
    } catch (const Error& error) {
      return WorkerFault{Kind::nonsense, broke_the_protocol(error.what())};
    }
    if (std::holds_alternative<BatchDone>(event)) return std::nullopt;
    if (const auto* refused = std::get_if<BatchRefused>(&event)) {
      report_refusal(*refused, batch, observer);
      return std::nullopt;
    }
    if (const auto* candidate = std::get_if<Candidate>(&event)) observer.started(*candidate);
    if (const auto* evaluation = std::get_if<Evaluation>(&event)) observer.evaluated(*evaluation);
  }
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
  int unexplained = 0;  // faults in a row while no candidate was running and none was answered
  while (!batch.remaining().empty() && !interrupted) {
    const std::size_t before = batch.remaining().size();
    const auto fault = run(batch, observer);
    if (batch.remaining().size() < before) unexplained = 0;
    if (!fault) continue;
    drop_worker(*fault);
    if (fault->kind == Kind::interrupted || batch.remaining().empty()) return;
    // The first such fault may be an after-effect of a candidate that already has its answer. The second one is charged
    // to the next candidate. A silence is charged at once: it has already cost a whole time limit.
    if (fault->kind != Kind::silent && !batch.in_flight() && ++unexplained < 2) continue;
    unexplained = 0;
    observer.evaluated(blame(*fault, batch));
  }
}

RemoteEvaluator::RemoteEvaluator(RemoteOptions options) : state_(std::make_unique<State>(std::move(options))) {}

RemoteEvaluator::~RemoteEvaluator() {
  if (state_->worker) state_->worker->dismiss();
}

DeviceInfo RemoteEvaluator::device() {
  if (!state_->device && state_->ensure_worker()) fail(ErrorCode::protocol, "interrupted before the worker said hello");
  return *state_->device;
}

std::vector<FamilySupport> RemoteEvaluator::supports(const Problem& problem) {
  state_->interrupted = false;
  const json reply = state_->ask("supports", problem);
  std::vector<FamilySupport> families;
  for (const json& family : JsonFields(reply, "supports").array("families"))
    families.push_back(support_from_json(family));
  return families;
}

std::vector<Candidate> RemoteEvaluator::candidates(const Problem& problem) {
  state_->interrupted = false;
  const json reply = state_->ask("candidates", problem);
  std::vector<Candidate> candidates;
  for (const auto& [candidate, why_unusable] : listed_candidates(reply)) {
    candidates.push_back(candidate);
    state_->unusable.erase(candidate);
    if (!why_unusable.empty()) state_->unusable.emplace(candidate, why_unusable);
  }
  return candidates;
}

void RemoteEvaluator::evaluate(const Problem& problem, std::span<const Candidate> candidates,
                               const EvaluationPolicy& policy, EvaluationObserver& observer) {
  state_->interrupted = false;
  CandidateBatch batch(problem, state_->usable(candidates, policy.stage, observer), policy);
  try {
    state_->evaluate(batch, observer);
  } catch (...) {
    // The worker is in the middle of a request, and cannot be used for another one.
    state_->worker.reset();
    throw;
  }
}

const RemoteStatistics& RemoteEvaluator::statistics() const { return state_->statistics; }

void RemoteEvaluator::interrupt() { state_->interrupted = true; }

}  // namespace gemmtune
