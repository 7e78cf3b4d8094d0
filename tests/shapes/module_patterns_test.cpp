#include "gemmtune/shapes/module_patterns.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

bool matches(const std::string& entry, const std::string& path) {
  ModulePatterns patterns;
  patterns.add(entry);
  return patterns.match(path);
}

TEST(ModulePatterns, WordsOfAPath) {
  EXPECT_TRUE(matches("lm_head", "lm_head"));
  EXPECT_TRUE(matches("self_attn", "model.layers.3.self_attn.q_proj"));
  EXPECT_TRUE(matches("model.layers.0", "model.layers.0.mlp.gate_proj"));
  EXPECT_FALSE(matches("model.layers.1", "model.layers.10.mlp.gate_proj"));
  EXPECT_FALSE(matches("gate", "model.layers.0.mlp.gate_proj"));
  EXPECT_TRUE(matches("gate", "model.layers.0.mlp.gate"));
  EXPECT_FALSE(matches("", "model"));
}

TEST(ModulePatterns, Stars) {
  EXPECT_TRUE(matches("model.layers.*.self_attn", "model.layers.35.self_attn.o_proj"));
  EXPECT_TRUE(matches("*lm_head", "lm_head"));
  EXPECT_TRUE(matches("*.mlp.gate", "model.layers.0.mlp.gate"));
  EXPECT_FALSE(matches("*.mlp.gate", "model.layers.0.mlp.gate_proj"));
  EXPECT_FALSE(matches("model.layers.*.self_attn", "other.model.layers.1.self_attn"));
  EXPECT_FALSE(matches("a.b*", "axb"));
}

TEST(ModulePatterns, RegularExpressions) {
  EXPECT_TRUE(matches("re:.*mlp\\.gate$", "model.layers.0.mlp.gate"));
  EXPECT_FALSE(matches("re:.*mlp\\.gate$", "model.layers.0.mlp.gate_proj"));
  EXPECT_FALSE(matches("re:mlp", "model.layers.0.mlp"));  // must match from the start
  EXPECT_THROW((void)matches("re:(", "x"), Error);
}

TEST(ModulePatterns, StarsAndMarks) {
  EXPECT_TRUE(matches("a+b(c)*[d]", "a+b(c)xyz[d]"));
  EXPECT_FALSE(matches("a+b*", "aab"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("**", "anything.at.all"));
}

/// A matcher that tries all ways takes longer than the age of the universe for these.
TEST(ModulePatterns, HostilePatternsTakeNoLonger) {
  const std::string path = "model.layers.0." + std::string(2000, 'a') + ".gate_proj";
  EXPECT_FALSE(matches("re:(.*)*(.*)*X", path));
  EXPECT_FALSE(matches("re:(a|a)*(a|aa)+b", path));
  EXPECT_FALSE(matches("re:(([a-z.])+.)+[0-9]([a-z.])+$x", path));
  std::string stars = "*";
  for (int i = 0; i < 40; ++i) stars += "a*";
  EXPECT_FALSE(matches(stars + "X", path));
  EXPECT_TRUE(matches(stars, path));
}

/// Versions of RE2 differ in whether they read this. None ends the process.
TEST(ModulePatterns, ManyBrackets) {
  try {
    (void)matches("re:" + std::string(20'000, '(') + std::string(20'000, ')'), "x");
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 1000U);  // the pattern is cut
  }
}

TEST(ModulePatterns, HostilePatternsAreRefused) {
  EXPECT_THROW((void)matches("re:(((x{1000}){1000}){1000})", "x"), Error);
  EXPECT_THROW((void)matches("re:(?!x)y", "y"), Error);
  EXPECT_THROW((void)matches("re:(a)\\1", "aa"), Error);
}

}  // namespace
}  // namespace gemmtune
