#include "gemmtune/worker/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Answers at once, and remembers what it was asked.
class FakeEvaluator : public Evaluator {
 public:
  DeviceInfo device() override { return {.name = "fake", .arch = "none", .cu_num = 1}; }

  std::vector<FamilySupport> supports(const Problem& problem) override {
    if (problem.m == 13) fail(ErrorCode::unsupported, "thirteen is unlucky");
    return {{.family = "fake", .version = "1", .candidate_count = 2}};
  }

  std::vector<Candidate> candidates(const Problem&) override {
    return {{.family = "fake", .name = "a"}, {.family = "fake", .name = "b", .params = {{"k", "v"}}}};
  }

  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    last_problem = problem;
    last_policy = policy;
    for (const Candidate& candidate : candidates) {
      observer.started(candidate);
      observer.evaluated({.candidate = candidate, .outcome = Outcome::unsupported, .reason = "bytes \xff in a reason"});
    }
  }

  Problem last_problem{};
  EvaluationPolicy last_policy{};
};

std::vector<json> served(FakeEvaluator& evaluator, const std::string& requests) {
  std::istringstream in(requests);
  std::ostringstream out;
  EXPECT_EQ(serve(in, out, evaluator), 0);
  std::vector<json> replies;
  const std::string text = out.str();
  for (const std::string_view line : split(trim(text), '\n')) replies.push_back(json::parse(line));
  return replies;
}

std::vector<json> served(const std::string& requests) {
  FakeEvaluator evaluator;
  return served(evaluator, requests);
}

TEST(Serve, GreetsAndLeavesAtTheEndOfItsInput) {
  const auto replies = served("");
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0]["type"], "hello");
  EXPECT_EQ(replies[0]["protocol"], oldest_protocol_version) << "it offers no steps";
  EXPECT_EQ(device_from_json(replies[0]["device"]).name, "fake");
}

TEST(Serve, AnswersNothingAfterBye) {
  const auto replies =
      served("{\"type\":\"bye\"}\n{\"type\":\"supports\",\"id\":1,\"problem\":\"1x1x2:f32:f32:f32\"}\n");
  EXPECT_EQ(replies.size(), 1U);
}

TEST(Serve, AnswersQueries) {
  const auto replies = served(R"({"type":"supports","id":7,"problem":"1x2x3:f32:f32:f32","new":[]}

{"type":"candidates","id":"text","problem":"1x2x3:f32:f32:f32"}
)");
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[1]["type"], "supports");
  EXPECT_EQ(replies[1]["id"], 7);
  EXPECT_EQ(support_from_json(replies[1]["families"][0]).candidate_count, 2);
  EXPECT_EQ(replies[2]["type"], "candidates");
  EXPECT_EQ(replies[2]["id"], "text");
  EXPECT_EQ(candidate_from_json(replies[2]["candidates"][1]).params.at(0).value, "v");
}

TEST(Serve, StreamsAnEvaluation) {
  FakeEvaluator evaluator;
  EvaluationPolicy policy = confirm_policy();
  policy.seed = ~0ULL;
  const json request{{"type", "evaluate"},
                     {"id", 9},
                     {"problem", "4x8x16:a4w4"},
                     {"policy", to_json_value(policy)},
                     {"candidates", {{{"family", "fake"}, {"name", "a"}}, {{"family", "fake"}, {"name", "b"}}}}};
  const auto replies = served(evaluator, request.dump() + "\n");
  EXPECT_EQ(evaluator.last_problem, parse_problem("4x8x16:a4w4"));
  EXPECT_EQ(evaluator.last_policy, policy);
  std::vector<std::string> types;
  for (const json& reply : replies) types.push_back(reply["type"]);
  EXPECT_THAT(types, testing::ElementsAre("hello", "started", "evaluation", "started", "evaluation", "done"));
  for (std::size_t i = 1; i < replies.size(); ++i) EXPECT_EQ(replies[i]["id"], 9);
  const Evaluation first = evaluation_from_json(replies[2]["evaluation"]);
  EXPECT_EQ(first.candidate.name, "a");
  EXPECT_EQ(first.reason, "bytes \xEF\xBF\xBD in a reason") << "what is not UTF-8 is replaced";
}

/// Its first candidate takes the device with it.
class LosingEvaluator final : public FakeEvaluator {
 public:
  void evaluate(const Problem&, std::span<const Candidate> candidates, const EvaluationPolicy&,
                EvaluationObserver& observer) override {
    const Evaluation culprit{.candidate = candidates[0], .outcome = Outcome::launch_failed, .reason = "a fault"};
    observer.started(candidates[0]);
    observer.evaluated(culprit);
    throw DeviceLost(culprit);
  }
};

TEST(Serve, EndsWithTheDevice) {
  const json request{{"type", "evaluate"},
                     {"id", 9},
                     {"problem", "4x8x16:a4w4"},
                     {"policy", to_json_value(screen_policy())},
                     {"candidates", {{{"family", "fake"}, {"name", "a"}}, {{"family", "fake"}, {"name", "b"}}}}};
  std::istringstream in(request.dump() + "\n" + request.dump() + "\n");
  std::ostringstream out;
  LosingEvaluator evaluator;
  EXPECT_EQ(serve(in, out, evaluator), exit_code(ErrorCode::no_device));
  std::vector<std::string> types;
  const std::string text = out.str();
  for (const std::string_view line : split(trim(text), '\n')) types.push_back(json::parse(line)["type"]);
  EXPECT_THAT(types, testing::ElementsAre("hello", "started", "evaluation"));
}

TEST(Serve, AnswersNonsenseWithErrorsAndLivesOn) {
  const std::vector<std::pair<std::string, std::string>> nonsense{
      {"hello?", "not JSON"},
      {R"({"id":3})", "message.type"},
      {R"({"type":"sing","id":3})", "unknown request 'sing'"},
      {R"({"type":"supports","id":3})", "request.problem: missing"},
      {R"({"type":"supports","id":3,"problem":"wide"})", "problem 'wide'"},
      {R"({"type":"supports","id":3,"problem":"13x1x2:f32:f32:f32"})", "thirteen is unlucky"},
      {R"({"type":"evaluate","id":3,"problem":"1x1x2:f32:f32:f32","candidates":5})",
       "request.candidates: expected an array"},
      {R"({"type":"evaluate","id":3,"problem":"1x1x2:f32:f32:f32","candidates":[]})", "request.policy: missing"},
  };
  for (const auto& [line, message] : nonsense) {
    SCOPED_TRACE(line);
    const auto replies = served(line + "\n" + R"({"type":"candidates","id":4,"problem":"1x2x3:f32:f32:f32"})" + "\n");
    ASSERT_EQ(replies.size(), 3U);
    EXPECT_EQ(replies[1]["type"], "error");
    EXPECT_THAT(replies[1]["message"].get<std::string>(), HasSubstr(message));
    const bool has_id = line.find("\"id\"") != std::string::npos && line.find("\"type\"") != std::string::npos;
    EXPECT_EQ(replies[1]["id"], has_id ? json(3) : json(nullptr));
    EXPECT_EQ(replies[2]["id"], 4);
  }
}

TEST(Serve, EndsWhenNobodyListens) {
  FakeEvaluator evaluator;
  std::istringstream in("{\"type\":\"candidates\",\"id\":1,\"problem\":\"1x2x3:f32:f32:f32\"}\n");
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(serve(in, out, evaluator), 1);
}

}  // namespace
}  // namespace gemmtune
