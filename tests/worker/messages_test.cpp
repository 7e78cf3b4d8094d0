#include "gemmtune/worker/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int rounds = 200;

/// Invents values of all kinds. The seed is printed by SCOPED_TRACE.
class Inventor {
 public:
  explicit Inventor(unsigned seed) : engine_(seed) {}

  std::int64_t count() { return static_cast<std::int64_t>(engine_() >> (1 + engine_() % 62)); }
  std::int64_t integer() { return engine_() % 2 == 0 ? count() : -count(); }
  bool flag() { return engine_() % 2 == 0; }
  double number() {
    const double values[] = {0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1.0 / 3.0};
    return engine_() % 4 == 0 ? values[engine_() % 6] : std::ldexp(static_cast<double>(engine_()), -50);
  }
  std::string text() {
    const std::string pieces[] = {"a", "B9", " ", "\"", "\\", "\n", "\t", "ä", "€", "𝛑", std::string(1, '\0'), "{"};
    std::string result;
    for (auto left = engine_() % 8; left > 0; --left) result += pieces[engine_() % 12];
    return result;
  }
  std::string shown_text() { return visible_line(text()); }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + engine_() % values.size());
  }

  Candidate candidate() {
    Candidate candidate{.family = text(),
                        .name = text(),
                        .split_k = integer(),
                        .library_id = integer(),
                        .is_default = engine_() % 2 == 0};
    for (auto left = engine_() % 4; left > 0; --left) candidate.params.push_back({text(), text()});
    return candidate;
  }
  Evaluation evaluation();
  EvaluationPolicy policy();
  DeviceInfo device();
  FamilySupport support() {
    return {.family = shown_text(), .version = shown_text(), .why_not = shown_text(), .candidate_count = count()};
  }

 private:
  std::mt19937_64 engine_;
};

Evaluation Inventor::evaluation() {
  Evaluation made{.candidate = candidate(),
                  .stage = one_of({Stage::screen, Stage::confirm, Stage::prove}),
                  .outcome = one_of({Outcome::ok, Outcome::unsupported, Outcome::compile_failed, Outcome::launch_failed,
                                     Outcome::wrong_result, Outcome::timed_out, Outcome::crashed}),
                  .reason = shown_text()};
  made.timing = {.median_us = number(),
                 .min_us = number(),
                 .mean_us = number(),
                 .low_us = number(),
                 .high_us = number(),
                 .dispersion = number(),
                 .sample_count = count(),
                 .pack_us = number(),
                 .packed_bytes = count(),
                 .workspace_bytes = count(),
                 .clock_mhz = number(),
                 .throttled = flag()};
  for (auto left = engine_() % 5; left > 0; --left) made.timing.samples_us.push_back(number());
  for (auto left = engine_() % 3; left > 0; --left) made.timing.turns.push_back(count());
  made.accuracy = {.err_ratio = number(),
                   .worst_error = number(),
                   .worst_share_of_bound = number(),
                   .unwritten = count(),
                   .checked = count(),
                   .guards_intact = flag()};
  made.cost = {.kernel_s = number(),
               .prepare_s = number(),
               .operands_s = number(),
               .reference_s = number(),
               .verify_s = number()};
  return made;
}

EvaluationPolicy Inventor::policy() {
  return {.stage = one_of({Stage::screen, Stage::confirm, Stage::prove}),
          .measure = {.warmup = count(),
                      .min_samples = count(),
                      .max_samples = count(),
                      .max_sampling_s = number(),
                      .target_dispersion = number(),
                      .keep_samples = flag(),
                      .cold_cache = flag(),
                      .cold_instructions = flag()},
          .verify = {.err_ratio_limit = number(), .atol = number(), .rtol = number(), .full_reference_flops = count()},
          .seed = engine_()};
}

DeviceInfo Inventor::device() {
  DeviceInfo made{.kind = one_of({DeviceKind::cpu, DeviceKind::cuda, DeviceKind::hip}),
                  .index = static_cast<int>(engine_() % 100),
                  .name = shown_text(),
                  .arch = shown_text(),
                  .cu_num = count(),
                  .last_level_cache_bytes = count(),
                  .memory_bytes = count(),
                  .driver = shown_text()};
  for (auto left = engine_() % 4; left > 0; --left) made.features.push_back(shown_text());
  for (auto left = engine_() % 4; left > 0; --left) made.libraries.emplace(shown_text(), shown_text());
  return made;
}

/// Through text, as on the wire.
json travelled(const json& value) { return json::parse(value.dump()); }

bool same(const Evaluation& a, const Evaluation& b) {
  return a.candidate == b.candidate && a.candidate.params == b.candidate.params &&
         a.candidate.split_k == b.candidate.split_k && a.candidate.library_id == b.candidate.library_id &&
         a.candidate.is_default == b.candidate.is_default && a.stage == b.stage && a.outcome == b.outcome &&
         a.reason == b.reason && a.timing == b.timing && a.accuracy == b.accuracy && a.cost == b.cost;
}

template <typename Parse>
std::string refusal(const Parse& parse, const json& value) {
  try {
    parse(value);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::protocol);
    return error.what();
  }
  return "accepted";
}

TEST(Messages, ValuesSurviveTheWire) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Inventor invent(seed);
    const Evaluation evaluation = invent.evaluation();
    EXPECT_TRUE(same(evaluation_from_json(travelled(to_json_value(evaluation))), evaluation));
    const EvaluationPolicy policy = invent.policy();
    EXPECT_EQ(policy_from_json(travelled(to_json_value(policy))), policy);
    const DeviceInfo device = invent.device();
    EXPECT_EQ(device_from_json(travelled(to_json_value(device))), device);
    const FamilySupport support = invent.support();
    EXPECT_EQ(support_from_json(travelled(to_json_value(support))), support);
  }
}

/// They go to terminals, logs and tables.
TEST(Messages, TextsThatPeopleReadAreOnePrintableLine) {
  const std::string evil = std::string("a\n\n\x1b[2Jb\r\n\0c", 12);
  const std::string shown = "a | \\x1b[2Jb | \\x00c";
  const auto read =
      evaluation_from_json(travelled(to_json_value(Evaluation{.outcome = Outcome::crashed, .reason = evil})));
  EXPECT_EQ(read.reason, shown);
  const auto support =
      support_from_json(travelled(to_json_value(FamilySupport{.family = evil, .version = evil, .why_not = evil})));
  EXPECT_EQ(support, (FamilySupport{.family = shown, .version = shown, .why_not = shown}));
  const auto device = device_from_json(travelled(to_json_value(
      DeviceInfo{.name = evil, .arch = evil, .features = {evil}, .driver = evil, .libraries = {{evil, evil}}})));
  EXPECT_EQ(
      device,
      (DeviceInfo{.name = shown, .arch = shown, .features = {shown}, .driver = shown, .libraries = {{shown, shown}}}));
  EXPECT_LT(
      evaluation_from_json(to_json_value(Evaluation{.outcome = Outcome::crashed, .reason = std::string(1 << 20, 'x')}))
          .reason.size(),
      5000U);
  json spoilt = to_json_value(device);
  spoilt["libraries"] = {{evil, 7}};
  EXPECT_EQ(refusal(device_from_json, spoilt), "device.libraries." + shown + ": expected a string, found 7");
}

TEST(Messages, WhatJsonLacksIsNotANumber) {
  for (const double lacking : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    Evaluation evaluation{};
    evaluation.accuracy.worst_error = lacking;
    evaluation.timing.samples_us = {1.0, lacking};
    const json value = to_json_value(evaluation);
    EXPECT_TRUE(value["accuracy"]["worst_error"].is_null());
    const Evaluation back = evaluation_from_json(travelled(value));
    EXPECT_TRUE(std::isnan(back.accuracy.worst_error));
    EXPECT_TRUE(std::isnan(back.timing.samples_us.at(1)));
  }
}

TEST(Messages, FieldsOfTheFutureAreIgnored) {
  json value = to_json_value(Inventor(1).policy());
  const EvaluationPolicy before = policy_from_json(value);
  value["power_limit_w"] = 300;
  value["measure"]["flush"] = {{"how", "clflush"}};
  EXPECT_EQ(policy_from_json(value), before);
}

TEST(Messages, ShortestEvaluationsAreEnough) {
  const auto ok =
      evaluation_from_json(json::parse(R"({"candidate":{"family":"f","name":"n"},"stage":"screen","outcome":"ok"})"));
  EXPECT_EQ(ok.candidate.split_k, 1);
  EXPECT_EQ(ok.candidate.library_id, -1);
  const auto failed = evaluation_from_json(json::parse(
      R"({"candidate":{"family":"f","name":"n"},"stage":"screen","outcome":"unsupported","reason":"too big"})"));
  EXPECT_EQ(failed.reason, "too big");
}

/// What a field must not be: everything of another kind, and numbers out of its range.
std::vector<json> corruptions(const json& good) {
  std::vector<json> bad{json::object({{"x", 1}}), json::array({json::array()})};
  if (!good.is_string()) bad.push_back("text");
  if (!good.is_boolean()) bad.push_back(true);
  if (!good.is_number()) bad.push_back(7);
  if (!good.is_number_float()) bad.push_back(nullptr);
  if (good.is_number_integer()) bad.insert(bad.end(), {json(1.5), json(1e300)});
  if (good.is_string()) bad.push_back(4.5);
  return bad;
}

/// Spoils each member in turn, at every depth, and expects the message to begin with its path.
template <typename Parse>
void expect_each_field_is_named(const Parse& parse, const json& whole, const std::string& root) {
  std::size_t spoilt = 0;
  const json flat = whole.flatten();
  for (const auto& [pointer, good] : flat.items()) {
    std::string path = root + pointer;
    std::replace(path.begin(), path.end(), '/', '.');
    for (const json& bad : corruptions(good)) {
      json corrupted = whole;
      corrupted[json::json_pointer(pointer)] = bad;
      EXPECT_THAT(refusal(parse, corrupted), testing::StartsWith(path + ": ")) << corrupted;
      ++spoilt;
    }
  }
  EXPECT_GT(spoilt, 4 * flat.size());
}

TEST(Messages, EverySpoiltFieldIsNamed) {
  Evaluation evaluation{.candidate = {.family = "f", .name = "n"}, .outcome = Outcome::crashed, .reason = "died"};
  expect_each_field_is_named(
      evaluation_from_json,
      [&] {
        json value = to_json_value(evaluation);
        value["candidate"].erase("params");
        value["timing"].erase("samples_us");
        value["timing"].erase("turns");
        for (auto* part : {&value["timing"], &value["accuracy"], &value["cost"]}) {
          for (auto& [key, member] : part->items()) {
            if (member.is_number_float()) member = 1.25;
          }
        }
        return value;
      }(),
      "evaluation");
  json policy = to_json_value(EvaluationPolicy{});
  policy["measure"]["max_sampling_s"] = 1.5;
  expect_each_field_is_named(policy_from_json, policy, "policy");
  expect_each_field_is_named(
      device_from_json,
      to_json_value(DeviceInfo{.name = "d", .arch = "a", .driver = "1", .libraries = {{"onednn", "2"}}})
          .patch(json::parse(R"([{"op":"remove","path":"/features"}])")),
      "device");
  expect_each_field_is_named(support_from_json, to_json_value(FamilySupport{.family = "f", .version = "1"}), "family");
}

TEST(Messages, SpoiltListsAreNamedByIndex) {
  json candidate = to_json_value(Candidate{.family = "f", .name = "n", .params = {{"m", "6"}, {"n", "8"}}});
  candidate["params"][1] = json::array({"n", 8});
  EXPECT_THAT(refusal(candidate_from_json, candidate), HasSubstr("candidate.params[1]: expected a pair of strings"));
  json evaluation = to_json_value(Evaluation{});
  evaluation["timing"]["samples_us"] = {1.0, "2.0"};
  EXPECT_THAT(refusal(evaluation_from_json, evaluation),
              HasSubstr("evaluation.timing.samples_us[1]: expected a number"));
  evaluation = to_json_value(Evaluation{});
  evaluation["timing"]["turns"] = {4, -1};
  EXPECT_THAT(refusal(evaluation_from_json, evaluation),
              HasSubstr("evaluation.timing.turns[1]: expected an integer of at least 0"));
  json device = to_json_value(DeviceInfo{});
  device["features"] = {"avx2", 512};
  EXPECT_THAT(refusal(device_from_json, device), HasSubstr("device.features[1]: expected a string, found 512"));
}

TEST(Messages, MissingAndImpossibleFieldsAreNamed) {
  const json good = to_json_value(Evaluation{.outcome = Outcome::crashed, .reason = "died"});
  for (const char* key : {"candidate", "stage", "outcome", "reason"}) {
    json lacking = good;
    lacking.erase(key);
    EXPECT_EQ(refusal(evaluation_from_json, lacking), std::string("evaluation.") + key + ": missing");
  }
  for (const auto& [key, member] : good["timing"].items()) {
    static const std::set<std::string> optional{"samples_us",      "turns",     "pack_us",  "packed_bytes",
                                                "workspace_bytes", "clock_mhz", "throttled"};
    json lacking = good;
    lacking["timing"].erase(key);
    EXPECT_EQ(refusal(evaluation_from_json, lacking),
              optional.contains(key) ? "accepted" : "evaluation.timing." + key + ": missing");
  }
  json negative = good;
  negative["timing"]["sample_count"] = -1;
  EXPECT_THAT(refusal(evaluation_from_json, negative),
              HasSubstr("evaluation.timing.sample_count: expected an integer of"));
  json huge = good;
  huge["candidate"]["split_k"] = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(refusal(evaluation_from_json, huge),
              HasSubstr("evaluation.candidate.split_k: expected an integer, found"));
  json unknown = good;
  unknown["outcome"] = "meh";
  EXPECT_THAT(refusal(evaluation_from_json, unknown), HasSubstr("evaluation.outcome: 'meh' is none of the names"));
  json far = to_json_value(DeviceInfo{});
  far["index"] = std::int64_t{1} << 40;
  EXPECT_THAT(refusal(device_from_json, far), HasSubstr("device.index"));
}

TEST(Messages, ParseMessageTakesObjectsWithATypeOnly) {
  EXPECT_EQ(parse_message(R"( {"type":"bye","more":[1]} )")["more"][0], 1);
  const auto parse = [](const std::string& line) {
    return refusal([](const std::string& text) { return parse_message(text); }, line);
  };
  EXPECT_THAT(parse(""), HasSubstr("not JSON"));
  EXPECT_THAT(parse("{\"type\":\"bye\"} x"), HasSubstr("not JSON (at byte 16)"));
  EXPECT_THAT(parse("\xff"), HasSubstr("'\\xff'"));
  EXPECT_THAT(parse("{\"type\":\"a\xff\"}"), HasSubstr("not JSON"));
  EXPECT_THAT(parse(R"({"type":1e999})"), HasSubstr("not JSON"));
  EXPECT_THAT(parse("[]"), HasSubstr("message: expected an object, found an array"));
  EXPECT_THAT(parse("{}"), HasSubstr("message.type: expected a string"));
  EXPECT_THAT(parse(R"({"type":5})"), HasSubstr("message.type: expected a string"));
  EXPECT_THAT(parse(std::string(100000, '[')), HasSubstr("nested deeper than 16"));
  EXPECT_LT(parse(std::string(1 << 20, 'x')).size(), 400U) << "a message quotes, it does not repeat";
}

}  // namespace
}  // namespace gemmtune
