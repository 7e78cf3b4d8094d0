#include "gemmtune/runtime/plan_cache.h"

#include <gtest/gtest.h>

#include <set>

namespace gemmtune {
namespace {

PlanKey key_of(const std::string& text) { return {.problem = parse_problem(text)}; }

CachedPlan without_plan(const std::string& why) { return {.plan = {}, .why_not = why}; }

TEST(PlanCache, FindsWhatWasPutLast) {
  PlanCache cache;
  EXPECT_FALSE(cache.find(key_of("8x8x8:f32:f32:f32")));
  cache.put(key_of("8x8x8:f32:f32:f32"), without_plan("first"));
  cache.put(key_of("8x8x8:f32:f32:f32"), without_plan("second"));
  ASSERT_TRUE(cache.find(key_of("8x8x8:f32:f32:f32")));
  EXPECT_EQ(cache.find(key_of("8x8x8:f32:f32:f32"))->why_not, "second");
  EXPECT_EQ(cache.all().size(), 1U);
}

TEST(PlanCache, TellsProblemsApartByEverything) {
  const std::vector<std::string> texts{
      "8x16x32:f32:f32:f32",        "16x8x32:f32:f32:f32",           "8x32x16:f32:f32:f32",
      "8x16x32:bf16:bf16:f32",      "8x16x32:bf16:bf16:bf16",        "8x16x32:f32:f32:f32:batch=2",
      "8x16x32:f32:f32:f32:bias",   "8x16x32:f32:f32:f32:residual",  "8x16x32:f32:f32:f32:silu",
      "8x16x32:f32:f32:f32:packed", "8x16x32:f32:f32:f32:tn",        "8x16x32:f32:f32:f32:nn",
      "8x16x32:f32:f32:f32:lda=40", "8x16x32:f32:f32:f32:ldw=40",    "8x16x32:f32:f32:f32:ldc=40",
      "8x16x32:e4m3:e4m3:f32",      "8x16x32:e4m3/row:e4m3/row:f32", "8x16x32:int8:int8:f32"};
  PlanCache cache;
  std::set<std::size_t> hashes;
  for (const auto& text : texts) {
    cache.put(key_of(text), without_plan(text));
    hashes.insert(PlanKeyHash()(key_of(text)));
  }
  for (const auto& text : texts) EXPECT_EQ(cache.find(key_of(text))->why_not, text);
  EXPECT_EQ(hashes.size(), texts.size());
  EXPECT_FALSE(cache.find({.problem = parse_problem(texts.front()), .packed_layout = 1}));
}

TEST(PlanCache, KeepsAtMostSoManyPlans) {
  PlanCache cache;
  auto key = key_of("1x8x8:f32:f32:f32");
  for (std::size_t i = 0; i < PlanCache::most_plans + 10; ++i) {
    ++key.problem.m;
    cache.put(key, without_plan("none"));
  }
  EXPECT_EQ(cache.all().size(), PlanCache::most_plans);
  EXPECT_TRUE(cache.find(key));
}

}  // namespace
}  // namespace gemmtune
