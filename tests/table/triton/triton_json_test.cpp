#include "gemmtune/table/triton/triton_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/triton/triton_name.h"
#include "tests/support/aiter_files.h"

namespace gemmtune {
namespace {

constexpr std::string_view odd = R"({
  "_note": "made by hand \u00e9",
  "M_LEQ_64": {
    "BLOCK_SIZE_N": 128,
    "BLOCK_SIZE_M": 64,
    "cache_modifier": ".cg",
    "my_own": [
      1,
      null
    ]
  },
  "any": {
    "BLOCK_SIZE_M": 16,
    "cache_modifier": null
  },
  "version": 3
})";

std::string refusal(std::string_view text) {
  try {
    parse_triton_json(text, "f.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "";
}

TEST(TritonJson, KeepsOrderNotesAndUnknownKeys) {
  const auto file = parse_triton_json(odd);
  ASSERT_EQ(file.entries.size(), 4U);
  EXPECT_EQ(file.entries[0].key, "_note");
  EXPECT_FALSE(file.entries[0].other.empty());
  const std::vector<Param> expected{
      {"BLOCK_SIZE_N", "128"}, {"BLOCK_SIZE_M", "64"}, {"cache_modifier", "\".cg\""}, {"my_own", "[1,null]"}};
  EXPECT_EQ(file.entries[1].params, expected);
  EXPECT_EQ(file.entries[2].params[1].value, "null");
  EXPECT_EQ(file.entries[3].other, "3");
}

TEST(TritonJson, WritesTheLayoutItRead) {
  const std::string two = "{\n  \"any\": {\n    \"num_warps\": 4\n  }\n}";
  const std::string four = "{\n    \"any\": {\n        \"num_warps\": 4\n    }\n}\n";
  EXPECT_EQ(triton_json_text(parse_triton_json(two)), two);
  EXPECT_EQ(triton_json_text(parse_triton_json(four)), four);
  EXPECT_EQ(parse_triton_json(triton_json_text(parse_triton_json(odd))).entries, parse_triton_json(odd).entries);
}

TEST(TritonJson, SaysWhereItIsNoJson) {
  EXPECT_EQ(refusal("{\n  \"any\": {\n    \"num_warps\": 4,,\n  }\n}").substr(0, 24), "f.json:3:20: not JSON: s");
  EXPECT_EQ(refusal("[1]"), "f.json:1:1: found array, expected an object of configurations");
  EXPECT_NE(refusal(""), "");
  EXPECT_EQ(refusal("{\"any\": 1e999}"), "f.json:1:9: number overflow parsing '1e999'");
}

TEST(TritonJson, RefusesWhatWouldBeLostSilently) {
  EXPECT_EQ(refusal(R"({"any": {}, "any": {"a": 1}})"), "f.json: the key \"any\" stands twice in one object");
  EXPECT_EQ(refusal(R"({"any": {"a": 1, "a": 2}})"), "f.json: the key \"a\" stands twice in one object");
  EXPECT_EQ(refusal(R"({"x": {"a": 1}, "y": {"a": 1}})"), "");
}

TEST(TritonJson, RefusesNestingThatWouldOverflowTheStack) {
  EXPECT_EQ(refusal("{\"any\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
            "f.json: nested deeper than 32 levels");
}

/// Every file of a checkout: its name is understood, and its content survives with the order of its keys.
TEST(TritonJson, AiterFilesComeBackTheSame) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_TRITON");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_TRITON names no folder";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() != ".json" || entry.path().string().find("GEMM") == std::string::npos) continue;
    const auto text = read_file(entry.path());
    const auto file = read_triton_json(entry.path());
    EXPECT_EQ(nlohmann::ordered_json::parse(triton_json_text(file)), nlohmann::ordered_json::parse(text)) << entry;
    const auto name = parse_triton_name(entry.path().filename().string());
    ASSERT_TRUE(name) << entry;
    EXPECT_EQ(triton_file_name(*name), entry.path().filename().string());
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace gemmtune
