#include "gemmtune/worker/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/sampler.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<Candidate> candidates(int count) {
  std::vector<Candidate> made;
  for (int i = 0; i < count; ++i) made.push_back({.family = "f", .name = "c" + std::to_string(i)});
  return made;
}

const Problem some_problem = parse_problem("4x8x16:f32:f32:f32");

Evaluation timed(const Candidate& candidate, const std::vector<double>& samples_us) {
  return {.candidate = candidate, .timing = summarise({.us = samples_us}, true), .accuracy = {.checked = 32}};
}

Evaluation good(const Candidate& candidate) { return timed(candidate, {2, 1, 3}); }

CandidateBatch screening(std::span<const Candidate> candidates) { return {some_problem, candidates, screen_policy()}; }

json started(const Candidate& candidate) {
  return {{"type", "started"}, {"id", 1}, {"candidate", to_json_value(candidate)}};
}

json evaluated(const Evaluation& evaluation) {
  return {{"type", "evaluation"}, {"id", 1}, {"evaluation", to_json_value(evaluation)}};
}

const json done{{"type", "done"}, {"id", 1}};

std::string refusal(CandidateBatch& batch, const json& reply) {
  try {
    batch.take(reply, 1);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::protocol);
    return error.what();
  }
  return "accepted";
}

TEST(Batch, KeepsBookOfWhoRunsAndWhoRemains) {
  const auto two = candidates(2);
  CandidateBatch batch = screening(two);
  EXPECT_EQ(std::get<Candidate>(batch.take(started(two[0]), 1)), two[0]);
  EXPECT_EQ(batch.in_flight(), two[0]);
  EXPECT_EQ(std::get<Candidate>(batch.take(started(two[1]), 1)), two[1]);
  EXPECT_EQ(std::get<Evaluation>(batch.take(evaluated(good(two[0])), 1)).candidate, two[0]);
  EXPECT_EQ(batch.in_flight(), two[1]) << "finalists take turns";
  EXPECT_THAT(refusal(batch, done), HasSubstr("1 candidates have no answer"));
  batch.take(evaluated(good(two[1])), 1);
  EXPECT_EQ(batch.in_flight(), std::nullopt);
  EXPECT_TRUE(std::holds_alternative<BatchDone>(batch.take(done, 1)));
}

TEST(Batch, KnowsTheCandidateBetterThanTheWorker) {
  Candidate asked{.family = "f", .name = "n", .params = {{"k", "v"}}, .split_k = 4};
  CandidateBatch batch = screening(std::span(&asked, 1));
  const auto event = batch.take(evaluated(good({.family = "f", .name = "n"})), 1);
  EXPECT_EQ(std::get<Evaluation>(event).candidate.params, asked.params);
  EXPECT_EQ(std::get<Evaluation>(event).candidate.split_k, 4);
}

TEST(Batch, RefusesWhatBreaksTheProtocol) {
  const auto two = candidates(2);
  const std::map<std::string, json> wrong{
      {"message.id: expected 1", {{"type", "done"}}},
      {"message.id: expected 1 ", {{"type", "done"}, {"id", "1"}}},
      {"message.id: expected 1 in", {{"type", "done"}, {"id", 2}}},
      {"message.type: 'hello'", {{"type", "hello"}, {"id", 1}}},
      {"message.candidate: missing", {{"type", "started"}, {"id", 1}}},
      {"started for 'c7'", started({.family = "f", .name = "c7"})},
      {"an evaluation for 'c1' of family 'g'", evaluated(good({.family = "g", .name = "c1"}))},
      {"evaluation.stage: expected 'screen', found 'prove'",
       evaluated({.candidate = two[0], .stage = Stage::prove, .outcome = Outcome::unsupported, .reason = "no"})},
  };
  for (const auto& [reason, reply] : wrong) {
    CandidateBatch batch = screening(two);
    EXPECT_THAT(refusal(batch, reply), HasSubstr(reason));
    EXPECT_EQ(batch.remaining(), two);
  }
  CandidateBatch batch = screening(two);
  batch.take(evaluated(good(two[0])), 1);
  EXPECT_THAT(refusal(batch, evaluated(good(two[0]))), HasSubstr("answered already"));
  EXPECT_THAT(refusal(batch, started(two[0])), HasSubstr("answered already"));
}

TEST(Batch, BlamesWhoRunsElseWhoIsNext) {
  const auto three = candidates(3);
  CandidateBatch batch(some_problem, three, confirm_policy());
  batch.take(started(three[1]), 1);
  const Evaluation first = batch.blame(Outcome::timed_out, "hung");
  EXPECT_EQ(first.candidate, three[1]);
  EXPECT_EQ(first.outcome, Outcome::timed_out);
  EXPECT_EQ(first.stage, Stage::confirm);
  EXPECT_EQ(first.reason, "hung");
  EXPECT_EQ(batch.blame(Outcome::crashed, "died").candidate, three[0]);
  EXPECT_EQ(batch.blame(Outcome::crashed, "died").candidate, three[2]);
  EXPECT_TRUE(batch.remaining().empty());
}

TEST(Batch, EveryCandidateIsAnsweredOnceWhateverHappens) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    const auto eight = candidates(8);
    CandidateBatch batch = screening(eight);
    std::map<std::string, int> answers;
    while (!batch.remaining().empty()) {
      const Candidate& any = eight[engine() % eight.size()];
      if (engine() % 5 == 0) {
        answers[batch.blame(Outcome::crashed, "died").candidate.name] += 1;
        continue;
      }
      try {
        const auto event = batch.take(engine() % 2 == 0 ? started(any) : evaluated(good(any)), 1);
        if (const auto* evaluation = std::get_if<Evaluation>(&event)) answers[evaluation->candidate.name] += 1;
      } catch (const Error&) {
        EXPECT_GT(answers[any.name], 0) << "only what is answered already is refused here";
      }
    }
    EXPECT_EQ(answers.size(), eight.size());
    for (const auto& [name, count] : answers) EXPECT_EQ(count, 1) << name;
  }
}

/// The candidate whose evaluation does not hold is to blame, whichever was started last.
TEST(Batch, BlamesTheCandidateWhoseEvaluationDoesNotHold) {
  const auto three = candidates(3);
  for (const char* spoilt : {"median_us", "sample_count"}) {
    CandidateBatch batch = screening(three);
    for (const Candidate& candidate : three) batch.take(started(candidate), 1);
    json lie = evaluated(good(three[1]));
    lie["evaluation"]["timing"][spoilt] = spoilt == std::string("median_us") ? json(1e-300) : json("many");
    EXPECT_THAT(refusal(batch, lie), HasSubstr(spoilt));
    EXPECT_EQ(batch.blame(Outcome::crashed, "lied").candidate, three[1]);
    EXPECT_THAT(batch.remaining(), testing::ElementsAre(three[0], three[2]));
  }
}

TEST(Batch, AsksForTheSamplesAlwaysAndKeepsThemWhenThePolicySaysSo) {
  const auto one = candidates(1);
  for (const bool keep : {false, true}) {
    EvaluationPolicy policy = screen_policy();
    policy.measure.keep_samples = keep;
    CandidateBatch batch(some_problem, one, policy);
    const json request = batch.request(7);
    EXPECT_EQ(request["id"], 7);
    EXPECT_EQ(request["problem"], to_string(some_problem));
    EXPECT_EQ(request["candidates"].size(), 1U);
    EXPECT_EQ(request["policy"]["measure"]["keep_samples"], true);
    const auto event = batch.take(evaluated(good(one[0])), 1);
    EXPECT_EQ(std::get<Evaluation>(event).timing.samples_us.size(), keep ? 3U : 0U);
    EXPECT_EQ(std::get<Evaluation>(event).timing.sample_count, 3);
  }
}

/// A screening takes the fewest samples of candidates that are far behind.
TEST(Batch, OneSampleIsEnoughOfACandidateThatIsFarBehind) {
  const auto three = candidates(3);
  CandidateBatch batch = screening(three);
  const auto once = [&](const Candidate& candidate, double us) { return evaluated(timed(candidate, {us})); };
  EXPECT_THAT(refusal(batch, once(three[1], 9)), HasSubstr("sample_count: expected at least the policy's 3, found 1"));
  batch.take(evaluated(good(three[0])), 1);
  EXPECT_THAT(refusal(batch, once(three[1], 8)), HasSubstr("sample_count")) << "four times the best, which took 2";
  batch.take(once(three[1], 8.1), 1);
  EXPECT_EQ(batch.remaining().size(), 1U);
}

TEST(Batch, ARefusalIsShownOnOneLine) {
  const auto one = candidates(1);
  CandidateBatch batch = screening(one);
  const auto event = batch.take({{"type", "error"}, {"id", 1}, {"message", "no\n\x1b[31mmemory"}}, 1);
  EXPECT_EQ(std::get<BatchRefused>(event).message, "no | \\x1b[31mmemory");
}

}  // namespace
}  // namespace gemmtune
