#include "gemmtune/report/comparison_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "gemmtune/report/bench_csv.h"
#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

TEST(ComparisonFiles, Csv) {
  EXPECT_EQ(
      comparison_csv(compare({timed(1, "asm", 4), timed(1, "ck", 2), timed(2, "asm", 0)})),
      "gfx,cu_num,problem,B,M,N,K,asm_tflops,asm_us,ck_tflops,ck_us,winner,winner_kernel,ratio\n"
      "gfx950,256,1x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed,1,1,512,4096,1.0486,4.0,2.0972,2.0,ck,ck_kernel,0.5000\n"
      "gfx950,256,2x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed,1,2,512,4096,,,,,,,\n");
}

TEST(ComparisonFiles, CsvReadsBackAsTheSameComparison) {
  constexpr std::uint64_t seed = 6;
  std::mt19937_64 random(seed);
  std::vector<Measurement> measurements;
  for (int i = 0; i < 200; ++i) {
    const auto m = static_cast<std::int64_t>(random() % 50 + 1);
    const auto backend = std::string(1, static_cast<char>('a' + random() % 4));
    measurements.push_back(timed(m, backend, 1 + static_cast<double>(random() % 1000) / 7));
  }
  const auto text = comparison_csv(compare(measurements, {.primary = "a"}));
  const auto again = read_bench_csv(parse_csv(text), {});
  EXPECT_TRUE(again.notes.empty()) << "seed " << seed << ": " << again.notes.front();
  EXPECT_EQ(comparison_csv(compare(again.measurements, {.primary = "a"})).substr(0, text.find(",winner")),
            text.substr(0, text.find(",winner")));
  const auto& before = compare(measurements, {.primary = "a"}).shapes;
  const auto& after = compare(again.measurements, {.primary = "a"}).shapes;
  ASSERT_EQ(before.size(), after.size()) << "seed " << seed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].shape, after[i].shape) << "seed " << seed;
    EXPECT_EQ(before[i].winners, after[i].winners) << "seed " << seed;
    EXPECT_EQ(before[i].ratio, after[i].ratio) << "seed " << seed;
  }
}

TEST(ComparisonFiles, Json) {
  auto over = timed(1, "asm", 1);
  over.err_ratio = 0.2;
  const auto value = comparison_json(
      compare({with_interval(timed(1, "asm", 4), 3.9, 4.1), timed(1, "ck", 2), over, timed(2, "ck", 1)}));
  EXPECT_EQ(value["primary"], "asm");
  EXPECT_EQ(value["measurements"], 4);
  const auto& shape = value["shapes"][0];
  EXPECT_EQ(shape["winners"], nlohmann::ordered_json::parse(R"(["ck"])"));
  EXPECT_EQ(shape["ratio"], 0.5);
  EXPECT_EQ(shape["backends"]["asm"]["us_interval"], nlohmann::ordered_json::parse("[3.9, 4.1]"));
  EXPECT_TRUE(value["shapes"][1]["ratio"].is_null());
  EXPECT_EQ(value["pairs"][0]["geometric_mean"], 0.5);
  EXPECT_EQ(value["primary_loses"].size(), 1U);
  EXPECT_EQ(value["primary_missing"].size(), 1U);
  EXPECT_EQ(value["skipped"][0]["reason"], "over the limit of errors");
}

TEST(ComparisonFiles, Markdown) {
  const auto text = comparison_markdown(compare({timed(1, "asm", 4), timed(1, "ck", 2), timed(2, "asm", 0)}));
  EXPECT_NE(text.find("| M | N | K | asm | ck | best | asm/best other |"), std::string::npos);
  EXPECT_NE(text.find("| 1 | 512 | 4096 | 1.05 | **2.10** | ck | 0.500 |"), std::string::npos);
  EXPECT_NE(text.find("| 2 | 512 | 4096 | - | - | none | - |"), std::string::npos);
  EXPECT_NE(text.find("## Where asm loses"), std::string::npos);
  EXPECT_NE(text.find("## Left out, without a time: 1"), std::string::npos);
  EXPECT_EQ(text.find("over the limit"), std::string::npos);
}

}  // namespace
}  // namespace gemmtune
