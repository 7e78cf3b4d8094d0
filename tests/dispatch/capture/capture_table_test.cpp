#include "gemmtune/dispatch/capture/capture_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>
#include <tuple>

namespace gemmtune {
namespace {

Problem problem_of(std::int64_t m) { return {.m = m, .n = 64, .k = 128}; }

CapturedKey exact(const Problem& problem) { return {problem, {}}; }

void count(CaptureTable& table, const CapturedKey& key, const Answer& answer = {}) {
  if (!table.count_again(key, key.hash(), answer)) table.count(key, key.hash(), answer);
}

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
      const CapturedKey key(
          problem_of(1 + static_cast<std::int64_t>(random() % 700)),
          {.device = static_cast<std::uint32_t>(random() % 2), .match = static_cast<MatchKind>(random() % 5)});
      count(table, key);
      ++expected[{key.problem(), key.device(), key.match()}];
    }
    std::size_t entries = 0;
    for (const auto* entry = table.entries(); entry != nullptr; entry = entry->next, ++entries)
      EXPECT_EQ(entry->calls, (expected[{entry->key.problem(), entry->key.device(), entry->key.match()}]))
          << "seed " << seed;
    EXPECT_EQ(entries, expected.size()) << "seed " << seed;
  }
}

TEST(CaptureTable, EqualHashesAreNoEqualProblems) {
  CaptureTable table;
  constexpr std::uint64_t hash = 42;
  for (int round = 0; round < 2; ++round)
    for (std::int64_t m = 1; m <= 200; ++m)
      if (!table.count_again(exact(problem_of(m)), hash, {})) table.count(exact(problem_of(m)), hash, {});
  std::set<std::int64_t> seen;
  for (const auto* entry = table.entries(); entry != nullptr; entry = entry->next) {
    seen.insert(entry->key.problem().m);
    EXPECT_EQ(entry->calls, 2);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST(CaptureTable, KeepsTheLastTimeAndItsM) {
  CaptureTable table;
  const auto key = exact(problem_of(20));
  const Choice slow{.time_us = 9}, fast{.time_us = 3}, untimed{};
  count(table, key, {.tuned_m = 32, .choice = &slow, .expected_us = 9});
  count(table, key, {.tuned_m = 64, .choice = &fast, .expected_us = 3});
  count(table, key, {.tuned_m = 64, .choice = &fast, .expected_us = 3});
  count(table, key, {.tuned_m = 128, .choice = &untimed});
  count(table, key);
  EXPECT_EQ(table.entries()->expected_us, 3);
  EXPECT_EQ(table.entries()->tuned_m, 64);
  EXPECT_EQ(table.entries()->calls, 5);
}

TEST(CaptureTable, CountsAgainOnlyWhatIsPromisedAgain) {
  CaptureTable table;
  const auto key = exact(problem_of(20));
  const Choice choice{.time_us = 9};
  const Answer first{.tuned_m = 32, .choice = &choice, .expected_us = 9};
  auto slower = first, of_other_m = first;
  slower.expected_us = 10;
  of_other_m.tuned_m = 64;
  EXPECT_FALSE(table.count_again(key, key.hash(), first));
  table.count(key, key.hash(), first);
  EXPECT_TRUE(table.count_again(key, key.hash(), first));
  EXPECT_FALSE(table.count_again(key, key.hash(), slower));
  EXPECT_FALSE(table.count_again(key, key.hash(), of_other_m));
  EXPECT_FALSE(table.count_again(CapturedKey(problem_of(20), {.device = 1}), key.hash(), first));
  EXPECT_EQ(total(table), 2);
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
      for (std::int64_t m = 1; m <= problems; ++m) count(table, exact(problem_of(m)));
  });
  for (std::int64_t before = 0; before < problems * rounds;) {
    const auto now = total(table);
    EXPECT_GE(now, before);
    before = now;
  }
  owner.join();
  EXPECT_EQ(total(table), problems * rounds);
}

}  // namespace
}  // namespace gemmtune
