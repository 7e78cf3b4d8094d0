#include "gemmtune/worker/serve_steps.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/step_messages.h"

namespace gemmtune {

using nlohmann::json;

namespace {

class Answerer final : public HoldObserver {
 public:
  Answerer(const json& request, Steps& steps, const SendMessage& send)
      : request_(request), fields_(request, "request"), steps_(steps), send_(send) {}

  void hold() {
    const Problem problem = parse_problem(fields_.text("problem"));
    const auto candidates = wanted();
    const auto policy = policy_from_json(fields_.member("policy"));
    const double share = fields_.has("memory_share") ? fields_.number("memory_share") : 1;
    steps_.hold({.problem = problem, .candidates = candidates, .policy = policy, .memory_share = share}, *this);
    reply("done", json::object());
  }

  void sample() {
    const auto candidate = candidate_from_json(fields_.member("candidate"));
    const auto request = turn_request_from_json(request_);
    const auto result = steps_.sample(candidate, request);
    if (const auto* turn = std::get_if<Turn>(&result)) {
      reply("samples", to_json_value(*turn));
      if (request.after > 0) steps_.go_on(candidate, request.after);
      return;
    }
    const auto& failure = std::get<TurnFailure>(result);
    evaluated(failure.evaluation);
    if (failure.process == Process::lost) throw DeviceLost(failure.evaluation);
  }

  void settle() {
    static_cast<void>(steps_.settle(wanted(), *this));
    reply("done", json::object());
  }

  void release() {
    steps_.release();
    reply("done", json::object());
  }

  void multiply() {
    try {
      reply("product", to_json_value(steps_.multiply(product_request_from_json(request_))));
    } catch (const DeviceLost& lost) {
      reply("product", to_json_value(Product{lost.culprit().outcome, lost.culprit().reason}));
      throw;
    }
  }

  void started(const Candidate& candidate) override { reply("started", named(candidate)); }
  void evaluated(const Evaluation& evaluation) override {
    reply("evaluation", {{"evaluation", to_json_value(evaluation)}});
  }
  void held(const HeldCandidate& candidate) override { reply("held", to_json_value(candidate)); }
  void postponed(const Candidate& candidate) override { reply("postponed", named(candidate)); }

 private:
  static json named(const Candidate& candidate) {
    return {{"candidate", {{"family", candidate.family}, {"name", candidate.name}}}};
  }

  std::vector<Candidate> wanted() const {
    std::vector<Candidate> candidates;
    for (const json& candidate : fields_.array("candidates")) candidates.push_back(candidate_from_json(candidate));
    return candidates;
  }

  void reply(const char* type, json message) const {
    message["type"] = type;
    message["id"] = request_.at("id");
    send_(message);
  }

  const json& request_;
  JsonFields fields_;
  Steps& steps_;
  const SendMessage& send_;
};

constexpr std::pair<std::string_view, void (Answerer::*)()> answers[] = {{"hold", &Answerer::hold},
                                                                         {"sample", &Answerer::sample},
                                                                         {"settle", &Answerer::settle},
                                                                         {"release", &Answerer::release},
                                                                         {"multiply", &Answerer::multiply}};

}  // namespace

bool answer_step(const json& request, Steps& steps, const SendMessage& send) {
  const std::string_view type = request.at("type").get_ref<const std::string&>();
  for (const auto& [name, answer] : answers) {
    if (type != name) continue;
    (Answerer(request, steps, send).*answer)();
    return true;
  }
  return false;
}

}  // namespace gemmtune
