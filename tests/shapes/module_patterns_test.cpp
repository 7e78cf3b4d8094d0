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

}  // namespace
}  // namespace gemmtune
