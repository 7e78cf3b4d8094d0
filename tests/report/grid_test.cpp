#include "gemmtune/report/grid.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(Grid, AsMarkdown) {
  const Grid grid{.columns = {{"shape"}, {"asm", true}}, .rows = {{{"1x2x3"}, {"5.0", true}}, {{"a|b\nc"}, {"-"}}}};
  EXPECT_EQ(markdown_text(grid),
            "| shape | asm |\n"
            "|:--|--:|\n"
            "| 1x2x3 | **5.0** |\n"
            "| a\\|b c | - |\n");
}

}  // namespace
}  // namespace gemmtune
