#include "gemmtune/worker/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/worker/greeting.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

namespace {

using Kind = WorkerFault::Kind;

/// What is wrong with a reply to request `id`, or nothing.
std::optional<WorkerFault> misreply(const json& reply, std::int64_t id, const std::vector<std::string>& types) {
  const std::string found = reply.at("type").get<std::string>();
  const bool is_expected = found == "error" || std::ranges::find(types, found) != types.end();
  if (is_expected && reply.contains("id") && reply.at("id") == json(id)) return std::nullopt;
  return WorkerFault{Kind::nonsense,
                     fmt::format("expected '{}' with id {}, found {}", types.front(), id, quote(reply.dump()))};
}

}  // namespace

Deadline seconds_from_now(double seconds) {
  constexpr double a_year = 3.2e7;
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                  std::chrono::duration<double>(std::clamp(seconds, 0.0, a_year)));
}

std::string broke_the_protocol(const std::string& how) { return "the worker broke the protocol: " + how; }

std::string Conversation::name() const { return options_.name.empty() ? join(options_.command, " ") : options_.name; }

// No candidate is to blame for what happens between requests.
bool Conversation::lives() {
  if (!has_greeted()) return false;
  if (const auto fault = worker_->fault_while_idle()) drop_worker(*fault);
  return worker_.has_value();
}

void Conversation::launch() {
  if (worker_) return;
  ++statistics_.starts;
  is_greeted_ = false;
  worker_.emplace(
      options_.command,
      SubprocessOptions{.environment = options_.environment, .memory_limit_bytes = options_.memory_limit_bytes},
      interrupted_);
}

std::optional<WorkerFault> Conversation::ensure_worker() {
  static_cast<void>(lives());
  std::string last_reason;
  for (int attempt = 0; !has_greeted() && attempt < std::max(options_.start_attempts, 1); ++attempt) {
    launch();
    const auto fault = greet();
    if (!fault) return std::nullopt;
    drop_worker(*fault);
    if (fault->kind == Kind::interrupted) return fault;
    last_reason = fault->reason;
  }
  if (has_greeted()) return std::nullopt;
  fail(ErrorCode::protocol, "no worker: '{}' did not say hello, tried {} times: {}", name(), options_.start_attempts,
       last_reason);
}

std::optional<WorkerFault> Conversation::greet() {
  const Received received = receive(seconds_from_now(options_.start_timeout_s));
  if (const auto* fault = std::get_if<WorkerFault>(&received)) return *fault;
  try {
    read_hello(std::get<json>(received));
    is_greeted_ = true;
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::protocol) return WorkerFault{Kind::nonsense, error.what()};
    worker_.reset();
    throw;
  }
}

void Conversation::read_hello(const json& message) {
  const JsonFields fields(message, "hello");
  if (fields.text("type") == "error") {
    const auto why = fields.shown_text("message");
    // "triton: no module named triton" needs no more words, if that is the worker's name.
    if (why.starts_with(name() + ":")) fail(ErrorCode::no_device, "{}", why);
    fail(ErrorCode::no_device, "the worker '{}' cannot start: {}", name(), why);
  }
  Greeting greeting = greeting_from_json(message);
  if (device_) {
    if (const auto why = why_other_device(*device_, greeting.device); !why.empty())
      fail(ErrorCode::protocol, "{}", why);
    if (greeting.protocol != protocol_)
      fail(ErrorCode::protocol, "hello.protocol: found {}, the first worker spoke {}", greeting.protocol, protocol_);
  }
  device_ = std::move(greeting.device);
  protocol_ = greeting.protocol;
  compiles_ahead_ = greeting.compiles_ahead;
}

std::int64_t Conversation::send(json request) {
  request["id"] = ++last_id_;
  // The result can be ignored: a worker that did not take the request does not answer it.
  worker_->send(request, seconds_from_now(options_.query_timeout_s));
  return last_id_;
}

Conversation::Received Conversation::receive(Deadline deadline) {
  const ScopedSeconds waiting(statistics_.waiting_s);
  return worker_->receive(deadline);
}

Conversation::Received Conversation::exchange(const json& request, const std::vector<std::string>& types,
                                              double patience_s) {
  const auto id = send(request);
  Received received = receive(seconds_from_now(patience_s));
  if (const auto* reply = std::get_if<json>(&received))
    if (auto fault = misreply(*reply, id, types)) return *std::move(fault);
  return received;
}

json Conversation::ask(const json& question) {
  const std::string type = question.at("type");
  std::string last_reason;
  for (int attempt = 0; attempt < std::max(options_.start_attempts, 1); ++attempt) {
    auto fault = ensure_worker();
    if (!fault) {
      const Received received = exchange(question, {type}, options_.query_timeout_s);
      if (const auto* reply = std::get_if<json>(&received)) {
        if (reply->at("type") == "error")
          fail(ErrorCode::unsupported, "{}", JsonFields(*reply, "message").shown_text("message"));
        return *reply;
      }
      fault = std::get<WorkerFault>(received);
    }
    drop_worker(*fault);
    if (fault->kind == Kind::interrupted) break;
    last_reason = fault->reason;
  }
  if (interrupted_) fail(ErrorCode::protocol, "interrupted before the worker answered '{}'", type);
  fail(ErrorCode::protocol, "the worker '{}' does not answer '{}': {}", name(), type, last_reason);
}

void Conversation::drop_worker(const WorkerFault& fault) {
  if (fault.kind == Kind::died) ++statistics_.crashes;
  if (fault.kind == Kind::silent) ++statistics_.timeouts;
  if (fault.kind == Kind::nonsense) ++statistics_.protocol_errors;
  worker_.reset();
}

void Conversation::dismiss() {
  if (worker_) worker_->dismiss();
}

}  // namespace gemmtune
