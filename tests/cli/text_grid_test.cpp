#include "gemmtune/cli/text_grid.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(TextGrid, AlignsColumnsAndLeavesNoBlanksAtLineEnds) {
  EXPECT_EQ(text_grid({{"name", "us", "note"}, {"a", "12.5", ""}, {"longer", "3", "x"}}, {Align::left, Align::right}),
            "name      us  note\n"
            "------  ----  ----\n"
            "a       12.5\n"
            "longer     3  x\n");
}

TEST(TextGrid, RowsMayBeShort) {
  EXPECT_EQ(text_grid({{"a", "b"}, {"failed: a long reason"}}, {}),
            "a                      b\n"
            "---------------------  -\n"
            "failed: a long reason\n");
}

TEST(TextGrid, CountsCharactersNotBytes) {
  EXPECT_EQ(text_grid({{"µs", "n"}, {"12", "3"}}, {}), "µs  n\n--  -\n12  3\n");
}

}  // namespace
}  // namespace gemmtune
