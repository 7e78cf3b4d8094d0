#include "gemmtune/dispatch/capture_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>

namespace gemmtune {
namespace {

Problem problem_of(std::int64_t m) { return {.m = m, .n = 64, .k = 128}; }

std::int64_t total(const CaptureTable& table) {
  std::int64_t calls = 0;
  for (const auto* entry = table.entries(); entry != nullptr; entry = entry->next) calls += entry->calls;
  return calls;
}

TEST(CaptureTable, CountsEachKeyApart) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::mt19937_64 random(seed);
    CaptureTable table;
    std::map<std::tuple<Problem, std::uint32_t, MatchKind>, std::int64_t> expected;
    for (int i = 0; i < 20000; ++i) {
      const CapturedKey key{problem_of(1 + static_cast<std::int64_t>(random() % 700)),
                            static_cast<std::uint32_t>(random() % 2), static_cast<MatchKind>(random() % 5)};
      table.count(key, hash_of(key.problem), {.match = key.match});
      ++expected[{key.problem, key.device, key.match}];
    }
    std::size_t entries = 0;
    for (const auto* entry = table.entries(); entry != nullptr; entry = entry->next, ++entries)
      EXPECT_EQ(entry->calls, (expected[{entry->key.problem, entry->key.device, entry->key.match}])) << "seed " << seed;
    EXPECT_EQ(entries, expected.size()) << "seed " << seed;
  }
}

TEST(CaptureTable, EqualHashesAreNoEqualProblems) {
  CaptureTable table;
  for (std::int64_t m = 1; m <= 200; ++m) table.count({problem_of(m), 0, MatchKind::exact}, 42, {});
  std::set<std::int64_t> seen;
  for (const auto* entry = table.entries(); entry != nullptr; entry = entry->next) seen.insert(entry->key.problem.m);
  EXPECT_EQ(seen.size(), 200U);
}

TEST(CaptureTable, KeepsTheLastTimeAndItsM) {
  CaptureTable table;
  const Choice slow{.time_us = 9}, fast{.time_us = 3}, untimed{};
  table.count({problem_of(20)}, 1, {.tuned_m = 32, .choice = &slow});
  table.count({problem_of(20)}, 1, {.tuned_m = 64, .choice = &fast});
  table.count({problem_of(20)}, 1, {.tuned_m = 128, .choice = &untimed});
  table.count({problem_of(20)}, 1, {});
  EXPECT_EQ(table.entries()->expected_us, 3);
  EXPECT_EQ(table.entries()->tuned_m, 64);
  EXPECT_EQ(table.entries()->calls, 4);
}

TEST(CaptureTable, HasOneOwnerAtATime) {
  CaptureTable table;
  EXPECT_TRUE(table.claim());
  EXPECT_FALSE(table.claim());
  table.release();
  EXPECT_TRUE(table.claim());
}

TEST(CaptureTable, OthersMayReadWhileItsThreadCounts) {
  CaptureTable table;
  constexpr std::int64_t problems = 5000, rounds = 4;
  std::thread owner([&] {
    for (std::int64_t round = 0; round < rounds; ++round)
      for (std::int64_t m = 1; m <= problems; ++m)
        table.count({problem_of(m), 0, MatchKind::exact}, hash_of(problem_of(m)), {});
  });
  for (std::int64_t before = 0; before < problems * rounds;) {
    const auto now = total(table);
    EXPECT_GE(now, before);
    before = now;
  }
  owner.join();
  EXPECT_EQ(total(table), problems * rounds);
}

TEST(HashOf, EveryFieldMatters) {
  const Problem base{.m = 1, .n = 2, .k = 3};
  std::vector<Problem> others(9, base);
  others[0].m = 2;
  others[1].n = 1;
  others[2].k = 4;
  others[3].batch = 2;
  others[4].a.type = DType::f16;
  others[5].w.scaling = Scaling::row;
  others[6].out = DType::f32;
  others[7].bias = true;
  others[8].packed = true;
  std::set<std::uint64_t> hashes{hash_of(base)};
  for (const auto& other : others) hashes.insert(hash_of(other));
  EXPECT_EQ(hashes.size(), others.size() + 1);
}

TEST(HashOf, SpreadsTheShapesOfAModel) {
  std::map<std::uint64_t, int> slots;
  for (std::int64_t m = 1; m <= 256; ++m)
    for (const std::int64_t n : {1280, 7168, 8192, 57344}) ++slots[hash_of({.m = m, .n = n, .k = 8192}) & 1023];
  for (const auto& [slot, count] : slots) EXPECT_LE(count, 8) << slot;  // 1 on average
}

}  // namespace
}  // namespace gemmtune
