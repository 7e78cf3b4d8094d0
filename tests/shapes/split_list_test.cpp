#include "gemmtune/shapes/split_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

const Problem bf16 = format_defaults(Format::a16w16);

TEST(SplitList, CostsAreBalanced) {
  EXPECT_EQ(balanced_parts(std::vector<double>{1, 5, 2, 4, 3, 3}, 3), (std::vector<std::size_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(balanced_parts(std::vector<double>{1, 1, 1}, 1), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_TRUE(balanced_parts({}, 4).empty());
}

TEST(SplitList, NoPartIsHeavierThanTheAverageByMoreThanOneCost) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<double> costs(random() % 60 + 1);
    for (auto& cost : costs) cost = static_cast<double>(random() % 1000);
    const auto parts = random() % 8 + 1;
    const auto chosen = balanced_parts(costs, parts);
    std::vector<double> loads(parts);
    for (std::size_t i = 0; i < costs.size(); ++i) loads.at(chosen[i]) += costs[i];
    const auto average = std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(parts);
    EXPECT_LE(*std::ranges::max_element(loads), average + *std::ranges::max_element(costs)) << "seed " << seed;
  }
}

TEST(SplitList, KeepsLinesAsTheyStand) {
  const auto list =
      parse_csv("M,N,K,remark\n 1, 64,128,  \"a,b\"\n512,8192,8192,heavy\nnonsense\n1,64,128,again\n", "s.csv");
  const auto parts = split_list(list, bf16, 2);
  EXPECT_EQ(parts[0].text, "M,N,K,remark\n512,8192,8192,heavy\n");
  EXPECT_EQ(parts[1].text, "M,N,K,remark\n 1, 64,128,  \"a,b\"\nnonsense\n1,64,128,again\n");
  EXPECT_EQ(parts[1].lines, 3U);
  EXPECT_GT(parts[0].tuning_seconds, 0);
}

/// Whatever the lines, each is in one part, and each part has them in the list's order.
TEST(SplitList, EveryLineIsInExactlyOnePart) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::string text = "M,N,K\n";
    const auto count = random() % 40;
    for (std::uint64_t i = 0; i < count; ++i)
      text += random() % 5 == 0
                  ? fmt::format("odd line {}\n", random() % 3)
                  : fmt::format("{},{},{}\n", 1 + random() % 9000, 64 << random() % 8, 64 << random() % 8);
    const auto list = parse_csv(text, "s.csv");
    const auto parts = split_list(list, bf16, random() % 7 + 1);
    std::vector<std::string> lines;
    std::size_t said = 0;
    for (const auto& part : parts) {
      const auto document = parse_csv(part.text, "part.csv");
      EXPECT_EQ(document.header, list.header);
      std::size_t at = 0;
      for (const auto& row : document.rows) {
        lines.push_back(row.raw);
        while (at < list.rows.size() && list.rows[at].raw != row.raw) ++at;
        EXPECT_LT(at++, list.rows.size()) << "seed " << seed << ": " << row.raw << " is out of order";
      }
      said += part.lines;
    }
    std::vector<std::string> expected;
    for (const auto& row : list.rows) expected.push_back(row.raw);
    std::ranges::sort(lines);
    std::ranges::sort(expected);
    EXPECT_EQ(lines, expected) << "seed " << seed;
    EXPECT_EQ(said, list.rows.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gemmtune
