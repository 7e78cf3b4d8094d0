#include "gemmtune/shapes/benchmark_shapes.h"

#include <gtest/gtest.h>

#include <set>

namespace gemmtune {
namespace {

TEST(BenchmarkShapes, FifteenLargeOnesAndTwentyOfDecoding) {
  for (const auto format : {Format::a4w4, Format::a16w16, Format::a8w8_blockscale}) {
    const auto problems = benchmark_shapes(format);
    ASSERT_EQ(problems.size(), 35U);
    EXPECT_EQ(std::set<Problem>(problems.begin(), problems.end()).size(), 35U);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      EXPECT_EQ(format_of(problems[i]), format);
      EXPECT_EQ(why_invalid(problems[i]), "");
      EXPECT_EQ(problems[i].m > 128, i < 15) << to_string(problems[i]);
    }
  }
}

}  // namespace
}  // namespace gemmtune
