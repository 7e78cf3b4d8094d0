#include "gemmtune/dispatch/capture/captured_key.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace gemmtune {
namespace {

/// A base key, followed by keys that each differ from it in one field.
std::vector<CapturedKey> all_different() {
  const Problem base{.m = 1, .n = 2, .k = 3};
  std::vector<Problem> problems(12, base);
  problems[1].m = 2;
  problems[2].n = 1;
  problems[3].k = 4;
  problems[4].batch = 2;
  problems[5].a.type = DType::f16;
  problems[6].a.scaling = Scaling::row;
  problems[7].w.type = DType::f16;
  problems[8].w.scaling = Scaling::row;
  problems[9].out = DType::f32;
  problems[10].epilogue.bias = true;
  problems[11].packed = true;
  std::vector<CapturedKey> keys;
  for (const auto& problem : problems) keys.emplace_back(problem, CapturedKey::Context{});
  keys.emplace_back(base, CapturedKey::Context{.match = MatchKind::fallback});
  return keys;
}

TEST(CapturedKey, EveryFieldMatters) {
  auto keys = all_different();
  std::set<std::uint64_t> hashes;
  for (const auto& key : keys) hashes.insert(key.hash());
  EXPECT_EQ(hashes.size(), keys.size());
  keys.emplace_back(Problem{.m = 1, .n = 2, .k = 3}, CapturedKey::Context{.device = 1});
  keys.emplace_back(Problem{.m = 1, .n = 2, .k = 3}, CapturedKey::Context{.variant = 1});
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t j = 0; j < keys.size(); ++j) EXPECT_EQ(keys[i] == keys[j], i == j) << i << ' ' << j;
}

TEST(CapturedKey, GivesBackWhatItWasMadeOf) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto size = [&] { return static_cast<std::int64_t>(random()); };
    const auto side = [&] { return Side{static_cast<DType>(random() % 10), static_cast<Scaling>(random() % 6)}; };
    const Problem problem{.m = size(),
                          .n = size(),
                          .k = size(),
                          .batch = size(),
                          .a = side(),
                          .w = side(),
                          .out = static_cast<DType>(random() % 10),
                          .epilogue = {.bias = random() % 2 == 0},
                          .packed = random() % 2 == 0};
    const auto device = static_cast<std::uint32_t>(random());
    const auto match = static_cast<MatchKind>(random() % match_kind_count);
    const CapturedKey key(problem, {.device = device, .match = match});
    EXPECT_EQ(key.problem(), problem) << "seed " << seed;
    EXPECT_EQ(key.device(), device) << "seed " << seed;
    EXPECT_EQ(key.match(), match) << "seed " << seed;
  }
}

TEST(CapturedKey, HashesSpreadTheShapesOfAModel) {
  for (const std::int64_t step : {1, 16, 64}) {
    std::map<std::uint64_t, int> slots;
    for (std::int64_t m = step; m <= 256 * step; m += step)
      for (const std::int64_t n : {1280, 7168, 8192, 57344})
        ++slots[CapturedKey({.m = m, .n = n, .k = 8192}, {}).hash() >> 54];
    for (const auto& [slot, count] : slots) EXPECT_LE(count, 8) << "steps of " << step;  // the average is 1
  }
}

}  // namespace
}  // namespace gemmtune
