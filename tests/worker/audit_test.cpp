// Every way in which an evaluation can contradict itself is a fault of the worker, and costs no other candidate.
#include "gemmtune/worker/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/sampler.h"
#include "gemmtune/worker/batch.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const Problem some_problem = parse_problem("4x8x16:f32:f32:f32");
const Candidate some_candidate{.family = "f", .name = "c"};

/// In three turns, as finalists are timed.
Samples some_samples() {
  return {.us = {10, 11, 10, 12, 10.5, 10.25, 11.5, 10.75, 10, 11, 12, 10}, .turns = {4, 4, 4}};
}

Evaluation honest(Stage stage) {
  Evaluation evaluation{.candidate = some_candidate,
                        .stage = stage,
                        .timing = summarise(some_samples(), true),
                        .accuracy = {.err_ratio = 0.01, .worst_error = 0.5, .worst_share_of_bound = 0.5, .checked = 32},
                        .cost = {.kernel_s = 1, .prepare_s = 0.5}};
  evaluation.timing.workspace_bytes = 1 << 20;
  evaluation.timing.clock_mhz = 2400;
  return evaluation;
}

/// What a batch makes of this evaluation: "accepted", or what the error says.
std::string verdict(const json& evaluation, const EvaluationPolicy& policy = confirm_policy()) {
  CandidateBatch batch(some_problem, std::span(&some_candidate, 1), policy);
  try {
    batch.take({{"type", "evaluation"}, {"id", 1}, {"evaluation", evaluation}}, 1);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::protocol);
    EXPECT_EQ(batch.in_flight(), some_candidate) << "who is to blame";
    return error.what();
  }
}

TEST(Audit, BelievesAnHonestWorker) {
  EXPECT_EQ(verdict(to_json_value(honest(Stage::confirm))), "accepted");
  EXPECT_EQ(verdict(to_json_value(honest(Stage::screen)), screen_policy()), "accepted");
  const Evaluation proof{.candidate = some_candidate, .stage = Stage::prove, .accuracy = {.checked = 32}};
  EXPECT_EQ(verdict(to_json_value(proof), prove_policy()), "accepted") << "nothing is timed";
  for (const Outcome outcome :
       {Outcome::unsupported, Outcome::compile_failed, Outcome::launch_failed, Outcome::crashed})
    EXPECT_EQ(verdict(to_json_value(Evaluation{
                  .candidate = some_candidate, .stage = Stage::confirm, .outcome = outcome, .reason = "why"})),
              "accepted");
}

TEST(Audit, BelievesAWrongResultWhoseErrorIsInfinite) {
  Evaluation wrong = honest(Stage::confirm);
  wrong.outcome = Outcome::wrong_result;
  wrong.reason = "C[0, 0] is inf";
  wrong.accuracy = {
      .err_ratio = 1, .worst_error = INFINITY, .worst_share_of_bound = INFINITY, .unwritten = 3, .checked = 32};
  EXPECT_EQ(verdict(to_json_value(wrong)), "accepted");
}

struct Lie {
  const char* what{};
  const char* pointer{};
  json value{};
  const char* reason{};
};

void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.what; }

class Liar : public testing::TestWithParam<Lie> {};

TEST_P(Liar, IsNotBelieved) {
  json evaluation = to_json_value(honest(Stage::confirm));
  evaluation[json::json_pointer(GetParam().pointer)] = GetParam().value;
  EXPECT_THAT(verdict(evaluation), HasSubstr(GetParam().reason));
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Twelve samples, one of which is this.
json one_sample_is(json value) {
  json samples = some_samples().us;
  samples[3] = std::move(value);
  return samples;
}

const std::vector<Lie> lies{
    {"all_elements_off", "/accuracy/err_ratio", 1.0, "accuracy.err_ratio: expected 0 to 0.05, found 1"},
    {"err_ratio_null", "/accuracy/err_ratio", nullptr, "accuracy.err_ratio: expected 0 to 0.05, found nan"},
    {"err_ratio_negative", "/accuracy/err_ratio", -0.5, "accuracy.err_ratio: expected 0"},
    {"share_negative", "/accuracy/worst_share_of_bound", -1.0, "accuracy.worst_share_of_bound: expected 0 to 1"},
    {"share_null", "/accuracy/worst_share_of_bound", nullptr, "accuracy.worst_share_of_bound: expected 0 to 1"},
    {"share_above_the_bound", "/accuracy/worst_share_of_bound", 1.5, "shows a wrong result"},
    {"error_negative", "/accuracy/worst_error", -1e-9, "accuracy.worst_error: expected 0"},
    {"error_null", "/accuracy/worst_error", nullptr, "accuracy.worst_error: expected 0"},
    {"unwritten", "/accuracy/unwritten", 1, "shows a wrong result"},
    {"guards", "/accuracy/guards_intact", false, "shows a wrong result"},
    {"nothing_checked", "/accuracy/checked", 0, "accuracy.checked: expected"},
    {"too_little_checked", "/accuracy/checked", 31, "accuracy.checked: expected at least 32 elements"},
    {"more_checked_than_there_is", "/accuracy/checked", 33, "accuracy.checked: expected 0 to 32, found 33"},
    {"more_unwritten_than_there_is", "/accuracy/unwritten", largest, "accuracy.unwritten: expected 0 to 32"},
    {"median_of_no_time", "/timing/median_us", 1e-300, "timing.median_us: expected 0.001"},
    {"median_unlike_samples", "/timing/median_us", 10.3, "timing.median_us: found 10.3, but its samples give 10.625"},
    {"median_null", "/timing/median_us", nullptr, "timing.median_us: expected"},
    {"min_unlike_samples", "/timing/min_us", 9.0, "timing.min_us: found 9, but its samples give 10"},
    {"mean_unlike_samples", "/timing/mean_us", 10.1, "timing.mean_us: found 10.1"},
    {"low_far_below", "/timing/low_us", -1e9, "timing.low_us"},
    {"low_below_the_samples", "/timing/low_us", 9.0, "timing.low_us: found 9, but its samples give"},
    {"low_above_the_median", "/timing/low_us", 10.7, "timing.low_us"},
    {"high_above_the_samples", "/timing/high_us", 13.0, "timing.high_us: found 13, but its samples give"},
    {"high_null", "/timing/high_us", nullptr, "timing.high_us"},
    {"no_dispersion", "/timing/dispersion", 0.0, "timing.dispersion: found 0, but its samples give"},
    {"dispersion_negative", "/timing/dispersion", -1.0, "timing.dispersion: expected 0"},
    {"count_unlike_samples", "/timing/sample_count", 13, "timing.sample_count: expected the number of samples, 12"},
    {"count_of_none", "/timing/sample_count", 0, "timing.sample_count"},
    {"sample_negative", "/timing/samples_us", one_sample_is(-12.0), "timing.samples_us: expected 0.001"},
    {"sample_null", "/timing/samples_us", one_sample_is(nullptr), "timing.samples_us: expected 0.001"},
    {"sample_zero", "/timing/samples_us", one_sample_is(0.0), "timing.samples_us: expected 0.001"},
    {"sample_huge", "/timing/samples_us", one_sample_is(1e308), "timing.samples_us: expected 0.001"},
    {"no_samples", "/timing/samples_us", json::array(), "timing.samples_us: missing, though there are times"},
    {"turns_of_other_samples", "/timing/turns", {4, 4}, "timing.turns: expected all of 12 samples, found 4 less"},
    {"turns_of_more_samples",
     "/timing/turns",
     {4, 4, largest},
     "timing.turns: expected numbers of samples that add up"},
    {"empty_turn", "/timing/turns", {12, 0}, "timing.turns: expected numbers of samples that add up"},
    {"workspace_overflows", "/timing/workspace_bytes", largest, "timing.workspace_bytes: expected 0 to"},
    {"workspace_negative", "/timing/workspace_bytes", -1, "timing.workspace_bytes: expected an integer of at least 0"},
    {"packing_overflows", "/timing/packed_bytes", largest, "timing.packed_bytes: expected 0 to"},
    {"packing_negative", "/timing/packed_bytes", -4096, "timing.packed_bytes: expected an integer of at least 0"},
    {"packing_not_allowed", "/timing/packed_bytes", 4096, "packed ahead, which the problem does not allow"},
    {"pack_time_negative", "/timing/pack_us", -1.0, "timing.pack_us: expected 0"},
    {"pack_time_null", "/timing/pack_us", nullptr, "timing.pack_us: expected 0"},
    {"clock_negative", "/timing/clock_mhz", -1.0, "timing.clock_mhz: expected 0"},
    {"clock_null", "/timing/clock_mhz", nullptr, "timing.clock_mhz: expected 0"},
    {"cost_negative", "/cost/kernel_s", -1.0, "cost.kernel_s: expected 0"},
    {"cost_null", "/cost/prepare_s", nullptr, "cost.prepare_s: expected 0"},
    {"cost_huge", "/cost/operands_s", 1e300, "cost.operands_s: expected 0"},
    {"reference_negative", "/cost/reference_s", -1.0, "cost.reference_s: expected 0"},
    {"verifying_null", "/cost/verify_s", nullptr, "cost.verify_s: expected 0"},
    {"no_reason", "/outcome", "wrong_result", "evaluation.reason: empty"},
    {"other_stage", "/stage", "screen", "evaluation.stage: expected 'confirm', found 'screen'"},
};

INSTANTIATE_TEST_SUITE_P(Lies, Liar, testing::ValuesIn(lies), [](const auto& tested) { return tested.param.what; });

TEST(Audit, DoesNotBelieveOneSampleWhereTheStageDemandsMore) {
  Evaluation evaluation = honest(Stage::confirm);
  evaluation.timing = summarise({.us = {10}}, true);
  EXPECT_THAT(verdict(to_json_value(evaluation)),
              HasSubstr("sample_count: expected at least the policy's 11, found 1"));
  evaluation.stage = Stage::screen;
  EXPECT_THAT(verdict(to_json_value(evaluation), screen_policy()), HasSubstr("at least the policy's 3, found 1"));
  EvaluationPolicy brief = screen_policy();
  brief.measure.max_samples = 1;
  EXPECT_EQ(verdict(to_json_value(evaluation), brief), "accepted") << "no more were allowed";
}

/// The times of a default choice that is only inaccurate are what others are compared with.
TEST(Audit, DoesNotBelieveImpossibleTimesOfAWrongResult) {
  Evaluation wrong = honest(Stage::confirm);
  wrong.outcome = Outcome::wrong_result;
  wrong.reason = "off";
  wrong.accuracy.err_ratio = 0.5;
  EXPECT_EQ(verdict(to_json_value(wrong)), "accepted");
  wrong.timing.median_us = 10.3;
  EXPECT_THAT(verdict(to_json_value(wrong)), HasSubstr("timing.median_us: found 10.3"));
  wrong = {.candidate = some_candidate, .stage = Stage::confirm, .outcome = Outcome::wrong_result, .reason = "off"};
  wrong.timing.median_us = 5;
  EXPECT_THAT(verdict(to_json_value(wrong)), HasSubstr("sample_count: 0, though there are times"));
}

/// There are several good ways to compute an interval: the supervisor's own takes the place of the worker's.
TEST(Audit, RecomputesTheSummary) {
  const Evaluation mine = honest(Stage::confirm);
  Evaluation sent = mine;
  sent.timing.low_us = mine.timing.min_us;
  sent.timing.high_us = 12;
  sent.timing.median_us *= 1 + 1e-9;
  const EvaluationPolicy policy = confirm_policy();
  EXPECT_EQ(audited(sent, {some_problem, policy}).timing, mine.timing);
}

/// Samples of one turn are alike, so the interval depends on the turns.
TEST(Audit, TakesTheTurnsIntoAccount) {
  const std::vector<double> us{10, 10, 10, 10, 12, 12, 12, 12, 11, 11, 11, 11};
  Evaluation sent = honest(Stage::confirm);
  sent.timing = summarise({.us = us, .turns = {4, 4, 4}}, true);
  const EvaluationPolicy policy = confirm_policy();
  EXPECT_EQ(audited(sent, {some_problem, policy}).timing, sent.timing);
}

TEST(Audit, ReusesWhatItWouldBelieve) {
  const EvaluationPolicy policy = confirm_policy();
  Evaluation kept = honest(Stage::confirm);
  kept.timing.turns.clear();
  EXPECT_EQ(why_not_reusable(kept, {some_problem, policy}), "") << "stores keep no turns";
  kept.timing.samples_us.clear();
  EXPECT_EQ(why_not_reusable(kept, {some_problem, policy}), "") << "and samples of finalists only";
  kept.timing.median_us = 1e-300;
  EXPECT_THAT(why_not_reusable(kept, {some_problem, policy}), HasSubstr("median_us"));
  kept = honest(Stage::confirm);
  kept.timing.samples_us[2] = 1e308;
  EXPECT_THAT(why_not_reusable(kept, {some_problem, policy}), HasSubstr("samples_us"));
  kept = honest(Stage::confirm);
  kept.timing.samples_us.assign(12, 20.0);
  EXPECT_THAT(why_not_reusable(kept, {some_problem, policy}), HasSubstr("samples give 20"));
}

}  // namespace
}  // namespace gemmtune
