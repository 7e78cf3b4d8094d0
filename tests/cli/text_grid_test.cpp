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

TEST(TextGrid, ColoursTakeNoRoom) {
  EXPECT_EQ(text_grid({{"us", "n"}, {"\x1b[1;32m12\x1b[0m", "3"}}, {Align::right, Align::right}),
            "us  n\n--  -\n\x1b[1;32m12\x1b[0m  3\n");
  EXPECT_EQ(text_grid({{"us"}, {"1\x1b["}}, {Align::right}), "    us\n------\n1\\x1b[\n") << "not one of ours";
}

}  // namespace
}  // namespace gemmtune
