#include "gemmtune/worker/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

BatchEvent CandidateBatch::take(const json& reply, std::int64_t id) {
  const JsonFields fields(reply, "message");
  const std::string type = fields.text("type");
  if (!fields.has("id") || fields.member("id") != json(id)) {
    fail(ErrorCode::protocol, "message.id: expected {} in {}", id, quote(reply.dump()));
  }
  if (type == "started") return take_started(reply);
  if (type == "evaluation") return take_evaluation(reply);
  if (type == "error") return BatchRefused{fields.text("message")};
  if (type != "done") fail(ErrorCode::protocol, "message.type: {} answers no evaluate request", quote(type));
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
  Evaluation evaluation = evaluation_from_json(JsonFields(reply, "message").member("evaluation"));
  // What the worker says of a candidate's parameters is not needed: they are known, and an author may leave them out.
  evaluation.candidate = find(evaluation.candidate, "an evaluation");
  if (const std::string why = why_implausible(evaluation, stage_); !why.empty()) fail(ErrorCode::protocol, "{}", why);
  remove(evaluation.candidate);
  return evaluation;
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
  Evaluation evaluation{.candidate = in_flight_ ? *in_flight_ : remaining_.front(),
                        .stage = stage_,
                        .outcome = outcome,
                        .reason = reason};
  remove(evaluation.candidate);
  in_flight_.reset();
  return evaluation;
}

std::string why_implausible(const Evaluation& evaluation, Stage stage) {
  const Timing& timing = evaluation.timing;
  if (evaluation.stage != stage) {
    return fmt::format("evaluation.stage: expected '{}', found '{}'", to_string(stage), to_string(evaluation.stage));
  }
  if (evaluation.outcome != Outcome::ok) {
    return evaluation.reason.empty() ? "evaluation.reason: empty, though the outcome is not 'ok'" : "";
  }
  const Accuracy& accuracy = evaluation.accuracy;
  if (accuracy.checked < 1) return "evaluation.accuracy.checked: 0, though the outcome is 'ok'";
  if (accuracy.unwritten > 0 || !accuracy.guards_intact || !(accuracy.worst_share_of_bound <= 1)) {
    return "evaluation.accuracy: shows a wrong result, though the outcome is 'ok'";
  }
  if (stage == Stage::prove) return "";  // nothing is timed
  if (timing.sample_count < 1) return "evaluation.timing.sample_count: 0, though the outcome is 'ok'";
  // Written so that NaN fails.
  const bool positive = timing.min_us > 0 && timing.median_us < 1e300;
  if (!positive) return "evaluation.timing: expected times above 0";
  const bool ordered =
      timing.min_us <= timing.median_us && timing.low_us <= timing.median_us && timing.median_us <= timing.high_us;
  if (!ordered) return "evaluation.timing: expected min <= median and low <= median <= high";
  return "";
}

}  // namespace gemmtune
