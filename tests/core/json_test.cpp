#include "gemmtune/core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "tests/support/cpu_seconds.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

std::string message_of(const std::string& text, JsonKeys keys = JsonKeys::any) {
  try {
    (void)parse_json(text, "c.json", keys);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "";
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(Json, IsRead) {
  EXPECT_EQ(parse_json(R"({"b": [1, 2.5], "a": null})", "c.json")["b"][1], 2.5);
  EXPECT_EQ(parse_ordered_json(R"({"b": 1, "a": 2})", "c.json").dump(), R"({"b":1,"a":2})");
}

TEST(Json, SaysWhereItIsNone) {
  EXPECT_THAT(message_of("{\n  \"a\": }"), HasSubstr("c.json:2:8: not JSON: "));
  EXPECT_THAT(message_of(""), HasSubstr("c.json:1:1: not JSON"));
  EXPECT_THAT(message_of("{\"a\": \"\xff\"}"), HasSubstr("not JSON"));
  EXPECT_EQ(message_of("{\"a\": \"\x1b[2J\"}").find('\x1b'), std::string::npos);
}

TEST(Json, NumbersThatNoDoubleHolds) {
  EXPECT_THAT(message_of(R"({"a": 1e999})"), HasSubstr("c.json:1:7: number overflow parsing '1e999'"));
  EXPECT_EQ(message_of(R"({"a": 1e-999})"), "");
}

TEST(Json, NestingHasALimit) {
  EXPECT_EQ(message_of(nested(json_depth_limit)), "");
  EXPECT_THAT(message_of(nested(json_depth_limit + 1)), HasSubstr("nested deeper than 32 levels"));
  EXPECT_THAT(message_of(nested(300'000)), HasSubstr("nested deeper"));
  EXPECT_THAT(message_of(std::string(300'000, '[')), HasSubstr("nested deeper"));
  EXPECT_TRUE(is_json(nested(30), 2));
  EXPECT_FALSE(is_json(nested(31), 2));
  EXPECT_FALSE(is_json(nested(300'000)));
  EXPECT_FALSE(is_json("1e999"));
}

/// Of objects whose order is kept, each key is looked for among the others.
TEST(Json, OrderedKeysHaveALimit) {
  const auto with_keys = [](std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}\"k{}\": [{{}}]", i == 0 ? "" : ", ", i);
    return text + "}";
  };
  EXPECT_EQ(parse_ordered_json(with_keys(ordered_keys_limit), "c.json").size(), ordered_keys_limit);
  for (const std::size_t count : {ordered_keys_limit + 1, std::size_t{300'000}}) {
    const double start = cpu_seconds();
    EXPECT_THROW((void)parse_ordered_json(with_keys(count), "c.json"), Error);
    EXPECT_LT(cpu_seconds() - start, 10);
  }
  EXPECT_EQ(parse_json(with_keys(10'000), "c.json").size(), 10'000U);
}

/// nlohmann's reader that calls back looks through an array at the end of each of its members.
TEST(Json, LongArraysAreReadInLinearTime) {
  std::string text = "[{}";
  for (int i = 0; i < 500'000; ++i) text += ",{}";
  const double start = cpu_seconds();
  EXPECT_EQ(parse_json(text + "]", "c.json", JsonKeys::unique).size(), 500'001U);
  EXPECT_EQ(parse_ordered_json(text + "]", "c.json", JsonKeys::unique).size(), 500'001U);
  EXPECT_LT(cpu_seconds() - start, 20);
}

TEST(Json, EqualKeys) {
  EXPECT_EQ(message_of(R"({"a": 1, "a": 2})"), "");
  EXPECT_THAT(message_of(R"({"a": 1, "b": {"a": 3}, "a": 2})", JsonKeys::unique), HasSubstr("\"a\" stands twice"));
  EXPECT_EQ(message_of(R"([{"a": 1}, {"a": 1}])", JsonKeys::unique), "");
}

TEST(Json, WhatIsWrittenIsSafeToShow) {
  const nlohmann::ordered_json value{{"name", "\x1b[2J\x7f\xc2\x9b\xe2\x80\xae\xff µ"}};
  EXPECT_EQ(json_text(value, -1), "{\"name\":\"\\u001b[2J\\u007f\\u009b\\u202e\xef\xbf\xbd µ\"}");
  EXPECT_EQ(json_text(nlohmann::json{{"a", 1}}), "{\n  \"a\": 1\n}");
  const auto back = parse_json(json_text(value), "back");
  EXPECT_EQ(back["name"], "\x1b[2J\x7f\xc2\x9b\xe2\x80\xae\xef\xbf\xbd µ");
}

}  // namespace
}  // namespace gemmtune
