#include "gemmtune/table/capture_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

const std::string header = "gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n";

CapturedProblem captured(const std::string& problem, std::int64_t calls) {
  return {.gfx = "gfx942", .cu_num = 304, .problem = parse_problem(problem), .calls = calls};
}

TEST(CaptureCsv, WritesWhatItReads) {
  const auto text = header +
                    "gfx942,304,1,64,128,1x64x128:bf16:bf16:bf16,fallback,7,0,0.0\n"
                    "gfx950,256,20,64,128,20x64x128:int8/row:int8/row:bf16:batch=4:bias,padded_fine,3,32,4.25\n";
  const auto file = read_capture(parse_csv(text));
  ASSERT_EQ(file.rows.size(), 2U);
  EXPECT_EQ(file.rows[1].match, MatchKind::padded_fine);
  EXPECT_EQ(file.rows[1].problem.batch, 4);
  EXPECT_EQ(file.rows[1].tuned_m, 32);
  EXPECT_EQ(file.rows[1].expected_us, 4.25);
  EXPECT_EQ(capture_text(file), text);
}

TEST(CaptureCsv, AFileThatIsNotThereOrEmptyHasNoRows) {
  const auto path = std::filesystem::path(testing::TempDir()) / "empty_capture.csv";
  std::filesystem::remove(path);
  EXPECT_TRUE(read_capture(path).rows.empty());
  std::fclose(std::fopen(path.c_str(), "w"));
  EXPECT_TRUE(read_capture(path).rows.empty());
  std::filesystem::remove(path);
}

TEST(CaptureCsv, RefusesAnotherKindOfFile) {
  try {
    (void)read_capture(parse_csv("M,N,K\n1,2,3\n", "list.csv"));
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_EQ(std::string(error.what()),
              "list.csv:1:1: found columns M,N,K, expected those of a capture: "
              "gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us");
  }
}

TEST(CaptureCsv, KeepsAndNamesLinesItCannotUse) {
  const std::vector<std::string> bad{
      "gfx942,304,1,2,3,1x2x3:nonsense,exact,1,1,1.0", "gfx942,304,1,2,3,1x2x3:bf16:bf16:bf16,exactly,1,1,1.0",
      "gfx942,304,1,2,3,1x2x3:bf16:bf16:bf16,exact,-1,1,1", "gfx942,304,9,2,3,1x2x3:bf16:bf16:bf16,exact,1,1,1.0",
      "gfx942,304,1,2,3,1x2x3:bf16:bf16:bf16,exact,1,1,inf"};
  auto text = header;
  for (const auto& line : bad) text += line + "\n";
  const auto file = read_capture(parse_csv(text, "c.csv"));
  EXPECT_TRUE(file.rows.empty());
  EXPECT_EQ(file.unusable_lines, bad);
  ASSERT_EQ(file.complaints.size(), bad.size());
  EXPECT_EQ(file.complaints[1],
            "c.csv:3:39: match: found 'exactly', expected exact, padded_fine, padded_coarse, "
            "nearest or fallback");
  EXPECT_EQ(file.complaints[3], "c.csv:5:12: M: found '9', expected 1 as in the problem");
  const std::vector more{captured("1x2x3:bf16:bf16:bf16", 5)};
  EXPECT_EQ(read_capture(parse_csv(capture_text(merged(file, more)))).unusable_lines, bad);
}

TEST(CaptureCsv, TheLaterTimeCountsWhereThereIsOne) {
  auto first = captured("1x64x128:bf16:bf16:bf16", 2);
  first.expected_us = 5;
  first.tuned_m = 16;
  auto later = first;
  later.expected_us = 4;
  later.tuned_m = 1;
  const auto without = captured("1x64x128:bf16:bf16:bf16", 1);
  const auto file = merged({}, std::vector{first, later, without});
  ASSERT_EQ(file.rows.size(), 1U);
  EXPECT_EQ(file.rows[0].calls, 5);
  EXPECT_EQ(file.rows[0].expected_us, 4);
  EXPECT_EQ(file.rows[0].tuned_m, 1);
}

TEST(CaptureCsv, CallsDoNotWrap) {
  const auto most = captured("1x64x128:bf16:bf16:bf16", std::int64_t{1} << 62);
  EXPECT_EQ(merged({}, std::vector{most, most}).rows[0].calls, std::int64_t{1} << 62);
}

/// The sums are the same however the counts are split into additions, and in whatever order these come.
TEST(CaptureCsv, TheOrderOfAdditionsDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<CapturedProblem> all;
    for (int i = 0; i < 60; ++i) {
      auto row =
          captured(fmt::format("{}x64x128:bf16:bf16:bf16", 1 + random() % 8), 1 + static_cast<int>(random() % 9));
      row.match = static_cast<MatchKind>(random() % match_kind_count);
      row.cu_num = random() % 2 == 0 ? 80 : 304;
      all.push_back(row);
    }
    const auto at_once = merged({}, all);
    std::ranges::shuffle(all, random);
    CaptureFile file;
    for (std::size_t i = 0; i < all.size();) {
      const auto count = std::min<std::size_t>(1 + random() % 7, all.size() - i);
      file = read_capture(parse_csv(capture_text(merged(std::move(file), std::span(all).subspan(i, count)))));
      i += count;
    }
    EXPECT_EQ(file.rows, at_once.rows) << "seed " << seed;
    std::int64_t calls = 0;
    for (const auto& row : file.rows) calls += row.calls;
    EXPECT_EQ(calls, std::accumulate(all.begin(), all.end(), std::int64_t{0},
                                     [](std::int64_t sum, const auto& row) { return sum + row.calls; }))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace gemmtune
