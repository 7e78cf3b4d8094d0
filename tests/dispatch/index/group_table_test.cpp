#include "gemmtune/dispatch/index/group_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace gemmtune {
namespace {

LookupKey key(std::uint64_t device, std::uint64_t sizes, std::uint64_t types) {
  return {.device = device, .sizes = sizes, .types = types};
}

TEST(GroupTable, FindsWhatWasInsertedAndNothingElse) {
  std::mt19937_64 random(3);
  GroupTable table;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const auto k = key(random() % 4, random() % 100, 1 + random() % 50);  // similar keys, so that slots collide
    table.at_or_new(k).first = i;
    expected[{k.device, k.sizes, k.types}] = i;
  }
  EXPECT_EQ(table.size(), expected.size());
  for (std::uint64_t device = 0; device < 5; ++device)
    for (std::uint64_t sizes = 0; sizes < 101; ++sizes)
      for (std::uint64_t types = 1; types < 52; ++types) {
        const auto* found = table.find(key(device, sizes, types));
        const auto known = expected.find({device, sizes, types});
        ASSERT_EQ(found != nullptr, known != expected.end()) << "seed 3";
        if (found != nullptr) {
          ASSERT_EQ(found->first, known->second) << "seed 3";
        }
      }
}

TEST(GroupTable, AnEmptyOneFindsNothing) { EXPECT_EQ(GroupTable().find(key(1, 2, 3)), nullptr); }

TEST(RowGroup, OctavesSayWhereToLook) {
  RowGroup group;
  for (const std::uint32_t m : {1U, 5U, 6U, 7U, 8U, 100'000U, 2'147'483'648U}) group.count_row(m);
  const auto span = [&](std::int64_t m) {
    const auto [begin, end] = group.octave_of(m);
    return std::pair(begin, end);
  };
  EXPECT_EQ(span(1), std::pair(0U, 1U));
  EXPECT_EQ(span(3), std::pair(1U, 1U));
  EXPECT_EQ(span(4), std::pair(1U, 4U));
  EXPECT_EQ(span(15), std::pair(4U, 5U));
  EXPECT_EQ(span(30'000), std::pair(5U, 5U));
  EXPECT_EQ(span(40'000), std::pair(5U, 7U));  // beyond the octaves: all remaining rows
  EXPECT_EQ(span(std::int64_t{1} << 40), std::pair(5U, 7U));
  EXPECT_EQ(sizeof(RowGroup), 64U);
}

}  // namespace
}  // namespace gemmtune
