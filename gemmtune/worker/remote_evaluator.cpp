#include "gemmtune/worker/remote_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/worker/batch.h"
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

json request(const char* type, std::int64_t id, const Problem& problem) {
  return {{"type", type}, {"id", id}, {"problem", to_string(problem)}};
}

json evaluate_request(std::int64_t id, const Problem& problem, const CandidateBatch& batch,
                      const EvaluationPolicy& policy) {
  json message = request("evaluate", id, problem);
  message["candidates"] = json::array();
  for (const Candidate& candidate : batch.remaining()) message["candidates"].push_back(to_json_value(candidate));
  message["policy"] = to_json_value(policy);
  return message;
}

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
  std::int64_t last_id{};

  std::optional<WorkerFault> ensure_worker();
  std::optional<WorkerFault> greet();
  void read_hello(const json& message);
  Received receive(Deadline deadline);
  std::string command() const { return join(options.command, " "); }

  void drop_worker(const WorkerFault& fault);

  json ask(const char* type, const Problem& problem);
  Received ask_once(const char* type, const Problem& problem);

  std::optional<WorkerFault> run(const Problem& problem, const EvaluationPolicy& policy, CandidateBatch& batch,
                                 EvaluationObserver& observer);
  void evaluate(const Problem& problem, const EvaluationPolicy& policy, CandidateBatch& batch,
                EvaluationObserver& observer);
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
  const std::string type = fields.text("type");
  if (type == "error")
    fail(ErrorCode::no_device, "the worker '{}' cannot start: {}", command(), fields.text("message"));
  if (type != "hello") fail(ErrorCode::protocol, "expected 'hello', found {}", quote(type));
  const std::int64_t version = fields.integer("protocol");
  if (version != protocol_version) {
    fail(ErrorCode::protocol, "hello.protocol: expected {}, found {}", protocol_version, version);
  }
  DeviceInfo greeted = device_from_json(fields.member("device"));
  if (!device) device = std::move(greeted);
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
  worker->send(request(type, id, problem), deadline);
  Received received = receive(deadline);
  const auto* reply = std::get_if<json>(&received);
  if (reply == nullptr) return received;
  const std::string found = reply->at("type").get<std::string>();
  if (!reply->contains("id") || reply->at("id") != json(id) || (found != type && found != "error")) {
    return WorkerFault{Kind::nonsense,
                       fmt::format("expected '{}' with id {}, found {}", type, id, quote(reply->dump()))};
  }
  if (found == "error") fail(ErrorCode::unsupported, "{}", JsonFields(*reply, "message").text("message"));
  return received;
}

/// Sends the remaining candidates and reports the answers until the request is done or the worker fails.
std::optional<WorkerFault> RemoteEvaluator::State::run(const Problem& problem, const EvaluationPolicy& policy,
                                                       CandidateBatch& batch, EvaluationObserver& observer) {
  if (auto fault = ensure_worker()) return fault;
  const std::int64_t id = ++last_id;
  // The result can be ignored: a worker that did not take the request does not answer it.
  worker->send(evaluate_request(id, problem, batch, policy), after(options.query_timeout_s));
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
      return WorkerFault{Kind::nonsense, fmt::format("the worker broke the protocol: {}", error.what())};
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

void RemoteEvaluator::State::evaluate(const Problem& problem, const EvaluationPolicy& policy, CandidateBatch& batch,
                                      EvaluationObserver& observer) {
  int unexplained = 0;  // faults in a row while no candidate was running and none was answered
  while (!batch.remaining().empty() && !interrupted) {
    const std::size_t before = batch.remaining().size();
    const auto fault = run(problem, policy, batch, observer);
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
  std::set<Candidate> seen;
  for (const json& value : JsonFields(reply, "candidates").array("candidates")) {
    candidates.push_back(candidate_from_json(value));
    if (seen.insert(candidates.back()).second) continue;
    fail(ErrorCode::protocol, "candidates: {} is named twice", quote(candidates.back().name));
  }
  return candidates;
}

void RemoteEvaluator::evaluate(const Problem& problem, std::span<const Candidate> candidates,
                               const EvaluationPolicy& policy, EvaluationObserver& observer) {
  state_->interrupted = false;
  CandidateBatch batch(candidates, policy.stage);
  try {
    state_->evaluate(problem, policy, batch, observer);
  } catch (...) {
    // The worker is in the middle of a request, and cannot be used for another one.
    state_->worker.reset();
    throw;
  }
}

const RemoteStatistics& RemoteEvaluator::statistics() const { return state_->statistics; }

void RemoteEvaluator::interrupt() { state_->interrupted = true; }

}  // namespace gemmtune
