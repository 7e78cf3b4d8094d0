#include "gemmtune/cli/analyze/analysis_text.h"

#include <gtest/gtest.h>

#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

TEST(AnalysisText, StarsOrColours) {
  const Grid grid{.columns = {{"shape"}, {"asm", true}}, .rows = {{{"a"}, {"5", true}}, {{"b"}, {"12"}}}};
  EXPECT_EQ(text_of(grid, {}), "shape  asm\n-----  ----\na        5*\nb       12\n");
  EXPECT_EQ(text_of(grid, {.colour = true}), "shape  asm\n-----  ---\na        \x1b[1;32m5\x1b[0m\nb       12\n");
}

TEST(AnalysisText, ListsSayHowMuchMoreThereIs) {
  std::vector<Measurement> measurements{timed(1, "ck", 1), timed(1, "asm", 2)};
  for (int m = 2; m <= 5; ++m) measurements.push_back(timed(m, "asm", 0));
  const auto comparison = compare(measurements);
  const auto text = analysis_text(comparison, {.listed = 3});
  EXPECT_NE(text.find("asm loses on 1 of 5 shapes:\n"), std::string::npos);
  EXPECT_NE(text.find("asm has no usable kernel for 4 of 5 shapes:\n  2x512x4096\n  3x512x4096\n  4x512x4096\n"
                      "and 1 more: --verbose lists all\n"),
            std::string::npos);
  EXPECT_NE(text.find("4 of 6 measurements left out, without a time:\n"), std::string::npos);
  EXPECT_EQ(analysis_text(comparison, {.listed = 4}).find("more:"), std::string::npos);
}

}  // namespace
}  // namespace gemmtune
