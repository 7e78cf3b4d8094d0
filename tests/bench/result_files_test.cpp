#include "gemmtune/bench/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/bench/read_results.h"
#include "gemmtune/bench/result_grids.h"
#include "gemmtune/core/error.h"
#include "gemmtune/report/bench_csv.h"
#include "tests/bench/invented_contenders.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeasuredContender timed(Contender contender, double time_us) {
  auto evaluation = answered(contender.candidate, Stage::confirm, time_us);
  evaluation.timing.dispersion = 0.0125;
  return {std::move(contender), std::move(evaluation)};
}

MeasuredContender failed(Contender contender) {
  auto evaluation = refused(contender.candidate, Stage::confirm, Outcome::wrong_result);
  return {std::move(contender), std::move(evaluation)};
}

Contender default_of(const std::string& family, const std::string& name) {
  auto usual = contender(family + "_default", name);
  usual.is_default = true;
  return usual;
}

/// For M = 64, toy's tuned choice differs from its default. For M = 1 it is the default, and `other` is wrong.
Benchmark invented_benchmark() {
  Benchmark benchmark{.device = invented_context().device, .policy = "confirm"};
  benchmark.shapes.push_back(
      {.problem = invented_problem(64),
       .contenders = {timed(default_of("toy", "toy_0"), 40), timed(contender("toy", "toy_1"), 20),
                      timed(contender("other", "other_0"), 10)},
       .winners = {2}});
  benchmark.shapes.push_back({.problem = invented_problem(1),
                              .contenders = {timed(default_of("toy", "toy_0"), 8), timed(contender("toy", "toy_0"), 8),
                                             failed(contender("other", "other_0"))},
                              .winners = {0, 1}});
  return benchmark;
}

std::vector<std::string> texts(const std::vector<GridCell>& row) {
  std::vector<std::string> cells;
  for (const auto& cell : row) cells.push_back(cell.text + (cell.strong ? "*" : ""));
  return cells;
}

TEST(BenchCsv, SizesFirstThenTwoColumnsABackend) {
  EXPECT_EQ(
      bench_csv(invented_benchmark()),
      "M,N,K,toy_default_tflops,toy_default_us,toy_tflops,toy_us,other_tflops,other_us,B,problem,gfx,cu_num,winner\n"
      "64,4096,512,6.7109,40.0000,13.4218,20.0000,26.8435,10.0000,1,64x4096x512:bf16:bf16:bf16,x86-64-avx2,8,other\n"
      "1,4096,512,0.5243,8.0000,0.5243,8.0000,,,1,1x4096x512:bf16:bf16:bf16,x86-64-avx2,8,toy_default=toy\n");
}

TEST(BenchCsv, ReadsBackAsABenchmark) {
  const auto document = parse_csv(bench_csv(invented_benchmark()));
  ASSERT_TRUE(is_bench_csv(document));
  const auto readings = read_bench_csv(document, {});
  EXPECT_TRUE(readings.notes.empty());
  ASSERT_EQ(readings.measurements.size(), 5U) << "what has no time is no measurement";
  EXPECT_EQ(readings.measurements[0].backend, "toy_default");
  EXPECT_EQ(readings.measurements[0].time_us, 40);
  EXPECT_EQ(readings.measurements[0].shape.problem, invented_problem(64));
  EXPECT_EQ(readings.measurements[0].shape.device, (DeviceTag{"x86-64-avx2", 8}));
}

TEST(BenchCsv, TablesSayHowTheyServe) {
  auto benchmark = invented_benchmark();
  benchmark.shapes.resize(1);
  auto& toy = benchmark.shapes[0].contenders[1].contender;
  toy.served = ServedBy{.match = MatchKind::padded_fine, .tuned_m = 80, .expected_us = 16};
  benchmark.shapes[0].verdict = "improved (+50.0 %)";
  const auto text = bench_csv(benchmark);
  EXPECT_THAT(text, HasSubstr(",winner,toy_kernel,toy_match,toy_tuned_m,toy_us_expected,verdict\n"));
  EXPECT_THAT(text, HasSubstr(",other,toy_1,padded_fine,80,16.0000,improved (+50.0 %)\n"));
  EXPECT_EQ(read_bench_csv(parse_csv(text), {}).measurements.size(), 3U) << "an expected time is no measurement";
  const auto grid = bench_grid(benchmark);
  EXPECT_EQ(texts(grid.rows[1])[7], "16.000");
  EXPECT_EQ(texts(grid.rows[1])[8], "1.25") << "the measured time over the expected one";
  EXPECT_EQ(grid.rows[0].back().text, "improved (+50.0 %)");
  EXPECT_EQ(grid.rows[1].back().text, "");
}

TEST(BenchGrid, ADefaultThatIsTheTunedChoiceSharesItsLine) {
  const auto grid = bench_grid(invented_benchmark());
  ASSERT_EQ(grid.rows.size(), 5U);
  EXPECT_THAT(texts(grid.rows[0]), ElementsAre("64x4096x512:bf16:bf16:bf16", "toy_default", "40.000", "1.2 %", "6.71",
                                               "119.6", "-", "toy_0", "invented"));
  EXPECT_EQ(grid.rows[1][0].text, "") << "a shape is named once";
  EXPECT_THAT(texts(grid.rows[2]), testing::Contains("10.000*"));
  EXPECT_EQ(texts(grid.rows[3])[1], "toy = default*");
  EXPECT_EQ(grid.rows[3][0].text, "1x4096x512:bf16:bf16:bf16");
  EXPECT_EQ(grid.rows[4][2].text, "wrong_result");
}

TEST(BenchGrid, SharesOfTheRoofline) {
  auto benchmark = invented_benchmark();
  benchmark.roofline = Roofline{.copy_gbps = 1e6, .peaks = {{"bf16", {.tflops = 53.687}}}};
  EXPECT_EQ(bench_grid(benchmark).rows[2][6].text, "50.0 %");
  EXPECT_THAT(captions(benchmark)[2], HasSubstr("bf16 53.69 TFLOPS"));
  benchmark.roofline->peaks.clear();
  EXPECT_EQ(bench_grid(benchmark).rows[2][6].text, "-");
  EXPECT_THAT(captions(benchmark)[2], HasSubstr("bf16 not measured"));
}

TEST(BenchGrid, TheSummaryHoldsColumnsAgainstTheFastest) {
  const auto grid = summary_grid(invented_benchmark());
  ASSERT_EQ(grid.rows.size(), 3U);
  EXPECT_THAT(texts(grid.rows[0]), ElementsAre("toy_default", "2", "1", "2.00x", "4.00x", "-"));
  EXPECT_THAT(texts(grid.rows[1]), ElementsAre("toy", "2", "1", "1.41x", "2.00x", "1.41x"));
  EXPECT_THAT(texts(grid.rows[2]), ElementsAre("other", "1", "1", "1.00x", "1.00x", "-"));
  Benchmark one{.shapes = {{.problem = invented_problem(), .contenders = {timed(contender("a", "toy_0"), 1)}}}};
  EXPECT_TRUE(summary_grid(one).rows.empty());
}

TEST(BenchGrid, FailuresHaveTheirReasons) {
  auto benchmark = invented_benchmark();
  for (auto& shape : benchmark.shapes)
    for (auto& measured : shape.contenders) measured.evaluation.seed = 7;
  EXPECT_THAT(
      failures(benchmark),
      ElementsAre("1x4096x512:bf16:bf16:bf16 other wrong_result: other_0: wrong_result as told; see gemmtune evaluate "
                  "--problem 1x4096x512:bf16:bf16:bf16 --candidate other_0 --seed 7 --stage confirm"));
}

TEST(BenchGrid, ScatteredTimesAreRemarkedOn) {
  auto benchmark = invented_benchmark();
  EXPECT_EQ(captions(benchmark).size(), 3U);
  for (auto& shape : benchmark.shapes)
    for (auto& measured : shape.contenders) measured.evaluation.timing.dispersion = 0.2;
  EXPECT_THAT(captions(benchmark).back(), HasSubstr("5 of 5 times have a spread above 5 %"));
}

TEST(BenchJson, SaysAll) {
  const auto value = bench_json(invented_benchmark());
  EXPECT_EQ(value["device"]["gfx"], "x86-64-avx2");
  EXPECT_TRUE(value["roofline"].is_null());
  const auto& backends = value["shapes"][0]["backends"];
  EXPECT_EQ(backends[2]["kernel"], "other_0");
  EXPECT_EQ(backends[2]["us"], 10);
  EXPECT_LT(backends[2]["us_low"], 10);
  EXPECT_EQ(backends[0]["is_default"], true);
  EXPECT_EQ(value["shapes"][0]["winners"].dump(), R"(["other"])");
  const auto& wrong = value["shapes"][1]["backends"][2];
  EXPECT_EQ(wrong["outcome"], "wrong_result");
  EXPECT_FALSE(wrong.contains("us"));
}

TEST(BenchJson, IsReadBackWithAllThatItSays) {
  auto benchmark = invented_benchmark();
  benchmark.device.index = 3;
  benchmark.shapes[0].verdict = "improved (+3.1 %)";
  benchmark.shapes[0].contenders[1].contender.served =
      ServedBy{.match = MatchKind::padded_fine, .tuned_m = 128, .expected_us = 2.5};
  benchmark.shapes[1].contenders[2].contender.candidate.name.clear();
  const auto text = bench_json(benchmark).dump();
  const auto read = read_bench_json(text, "part");
  EXPECT_EQ(bench_json(read).dump(), text);
  EXPECT_EQ(bench_csv(read), bench_csv(benchmark));
  EXPECT_EQ(bench_markdown(read), bench_markdown(benchmark));
  for (const auto* bad : {"{}", "[]", R"({"device":{},"policy":"","roofline":null,"shapes":[]})"})
    EXPECT_THROW((void)read_bench_json(bad, "part"), Error) << bad;
}

TEST(BenchMarkdown, HasTheTableAndTheFailures) {
  const auto text = bench_markdown(invented_benchmark());
  EXPECT_THAT(text, HasSubstr("| shape | backend | us |"));
  EXPECT_THAT(text, HasSubstr("**10.000**"));
  EXPECT_THAT(text, HasSubstr("## Without a time\n\n- 1x4096x512"));
}

}  // namespace
}  // namespace gemmtune
