#include "gemmtune/worker/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/worker/audit.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"
#include "gemmtune/worker/step_messages.h"

namespace gemmtune {

using nlohmann::json;

namespace {

const char* message_type(Purpose purpose) {
  switch (purpose) {
    case Purpose::evaluate:
      return "evaluate";
    case Purpose::hold:
      return "hold";
    case Purpose::settle:
      return "settle";
  }
  return "";
}

}  // namespace

json CandidateBatch::request(std::int64_t id) const {
  EvaluationPolicy policy = policy_;
  policy.measure.keep_samples = true;
  json candidates = json::array();
  for (const Candidate& candidate : remaining_) candidates.push_back(to_json_value(candidate));
  json message{{"type", message_type(purpose_)}, {"id", id}, {"candidates", std::move(candidates)}};
  if (purpose_ == Purpose::settle) return message;
  message["problem"] = to_string(problem_);
  message["policy"] = to_json_value(policy);
  return message;
}

BatchEvent CandidateBatch::take(const json& reply, std::int64_t id) {
  const JsonFields fields(reply, "message");
  const std::string type = fields.text("type");
  if (!fields.has("id") || fields.member("id") != json(id)) {
    fail(ErrorCode::protocol, "message.id: expected {} in {}", id, quote(reply.dump()));
  }
  if (type == "started") return take_started(reply);
  if (type == "evaluation") return take_evaluation(reply);
  if (type == "held" && purpose_ == Purpose::hold) return take_held(reply);
  if (type == "postponed" && purpose_ == Purpose::hold) return take_postponed(reply);
  if (type == "error") return BatchRefused{visible_line(fields.text("message"))};
  if (type != "done")
    fail(ErrorCode::protocol, "message.type: {} answers no {} request", quote(type), message_type(purpose_));
  if (!remaining_.empty()) {
    fail(ErrorCode::protocol, "'done' though {} candidates have no answer", remaining_.size());
  }
  return BatchDone{};
}

Candidate CandidateBatch::take_started(const json& reply) {
  in_flight_ = find(candidate_from_json(JsonFields(reply, "message").member("candidate")), "started");
  return *in_flight_;
}

Evaluation CandidateBatch::take_evaluation(const json& reply) {
  const json& value = JsonFields(reply, "message").member("evaluation");
  const Candidate answered =
      find(candidate_from_json(JsonFields(value, "evaluation").member("candidate")), "an evaluation");
  // Whichever candidate runs now, this one is to blame if its evaluation does not hold.
  const auto running = std::exchange(in_flight_, answered);
  Evaluation evaluation = evaluation_from_json(value);
  // What the worker says of a candidate's parameters is not needed: they are known, and an author may leave them out.
  evaluation.candidate = answered;
  evaluation = believed(std::move(evaluation));
  in_flight_ = running;
  if (evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0)
    fastest_us_ = std::min(fastest_us_, evaluation.timing.median_us);
  remove(answered);
  return evaluation;
}

Evaluation CandidateBatch::believed(Evaluation sent) const {
  if (purpose_ == Purpose::evaluate) return audited(std::move(sent), {problem_, policy_, fastest_us_});
  if (purpose_ == Purpose::hold && sent.outcome == Outcome::ok)
    fail(ErrorCode::protocol, "evaluation.outcome: 'ok' answers no hold request");
  return audited_without_times(std::move(sent), {problem_, policy_});
}

HeldCandidate CandidateBatch::take_held(const json& reply) {
  HeldCandidate held = held_from_json(reply);
  held.candidate = find(held.candidate, "'held'");
  remove(held.candidate);
  return held;
}

Postponed CandidateBatch::take_postponed(const json& reply) {
  const Candidate candidate =
      find(candidate_from_json(JsonFields(reply, "message").member("candidate")), "'postponed'");
  remove(candidate);
  return {candidate};
}

Candidate CandidateBatch::find(const Candidate& named, const char* said) const {
  const auto found = std::find(remaining_.begin(), remaining_.end(), named);
  if (found != remaining_.end()) return *found;
  fail(ErrorCode::protocol, "{} for {} of family {}, which was not asked for or is answered already", said,
       quote(named.name), quote(named.family));
}

void CandidateBatch::remove(const Candidate& candidate) {
  if (in_flight_ == candidate) in_flight_.reset();
  remaining_.erase(std::find(remaining_.begin(), remaining_.end(), candidate));
}

Evaluation CandidateBatch::blame(Outcome outcome, const std::string& reason) {
  Evaluation evaluation{.candidate = suspect(), .stage = policy_.stage, .outcome = outcome, .reason = reason};
  remove(evaluation.candidate);
  in_flight_.reset();
  return evaluation;
}

CandidateBatch CandidateBatch::take_suspect() {
  CandidateBatch alone = *this;
  alone.remaining_ = {suspect()};
  alone.in_flight_.reset();
  remove(alone.suspect());
  in_flight_.reset();
  return alone;
}

}  // namespace gemmtune
