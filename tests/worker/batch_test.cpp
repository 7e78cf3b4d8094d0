#include "gemmtune/worker/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "gemmtune/core/error.h"
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

Evaluation good(const Candidate& candidate) {
  return {.candidate = candidate,
          .timing = {.median_us = 2, .min_us = 1, .mean_us = 2, .low_us = 1, .high_us = 3, .sample_count = 3},
          .accuracy = {.checked = 1}};
}

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
  CandidateBatch batch(two, Stage::screen);
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
  CandidateBatch batch(std::span(&asked, 1), Stage::screen);
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
    CandidateBatch batch(two, Stage::screen);
    EXPECT_THAT(refusal(batch, reply), HasSubstr(reason));
    EXPECT_EQ(batch.remaining(), two);
  }
  CandidateBatch batch(two, Stage::screen);
  batch.take(evaluated(good(two[0])), 1);
  EXPECT_THAT(refusal(batch, evaluated(good(two[0]))), HasSubstr("answered already"));
  EXPECT_THAT(refusal(batch, started(two[0])), HasSubstr("answered already"));
}

TEST(Batch, BlamesWhoRunsElseWhoIsNext) {
  const auto three = candidates(3);
  CandidateBatch batch(three, Stage::confirm);
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
    CandidateBatch batch(eight, Stage::screen);
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

TEST(Plausibility, AcceptsWhatIsConsistent) {
  const Candidate candidate{.family = "f", .name = "n"};
  EXPECT_EQ(why_implausible(good(candidate), Stage::screen), "");
  EXPECT_EQ(why_implausible({.candidate = candidate, .outcome = Outcome::crashed, .reason = "died"}, Stage::screen),
            "");
  EXPECT_EQ(why_implausible({.stage = Stage::prove, .accuracy = {.checked = 9}}, Stage::prove), "")
      << "nothing is timed";
}

TEST(Plausibility, NamesWhatContradictsItself) {
  const auto reason = [](const auto& spoil) {
    Evaluation evaluation = good({.family = "f", .name = "n"});
    spoil(evaluation);
    return why_implausible(evaluation, Stage::screen);
  };
  EXPECT_THAT(reason([](Evaluation& e) { e.outcome = Outcome::crashed; }), HasSubstr("evaluation.reason"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.sample_count = 0; }), HasSubstr("sample_count"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.min_us = 0; }), HasSubstr("above 0"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.median_us = std::nan(""); }), HasSubstr("above 0"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.median_us = INFINITY; }), HasSubstr("above 0"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.min_us = 2.5; }), HasSubstr("min <= median"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.high_us = 1.5; }), HasSubstr("median <= high"));
  EXPECT_THAT(reason([](Evaluation& e) { e.timing.low_us = std::nan(""); }), HasSubstr("low <= median"));
  EXPECT_THAT(reason([](Evaluation& e) { e.accuracy.checked = 0; }), HasSubstr("checked"));
  EXPECT_THAT(reason([](Evaluation& e) { e.accuracy.unwritten = 1; }), HasSubstr("wrong result"));
  EXPECT_THAT(reason([](Evaluation& e) { e.accuracy.guards_intact = false; }), HasSubstr("wrong result"));
  EXPECT_THAT(reason([](Evaluation& e) { e.accuracy.worst_share_of_bound = std::nan(""); }), HasSubstr("wrong result"));
}

}  // namespace
}  // namespace gemmtune
