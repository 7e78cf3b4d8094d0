#include "gemmtune/core/printable.h"

#include <gtest/gtest.h>

#include <random>

namespace gemmtune {
namespace {

using namespace std::string_literals;

TEST(Printable, LeavesTextAsItIs) {
  for (const std::string& text : {""s, "plain text, \"quoted\""s, "größe 10 µs · √K 日本 𝛑"s}) {
    EXPECT_TRUE(is_printable(text));
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_line(text), text);
  }
}

TEST(Printable, ShowsControlCharactersByTheirBytes) {
  EXPECT_EQ(printable("a\nb\0c\x1b[31m\x7f"s), "a\\x0ab\\x00c\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\u009b2J"), "\\xc2\\x9b2J") << "the one-byte escape of some terminals";
  EXPECT_EQ(printable("a\u202eb\u2028\ufeff"), "a\\xe2\\x80\\xaeb\\xe2\\x80\\xa8\\xef\\xbb\\xbf");
}

TEST(Printable, ShowsBytesThatAreNoCharacters) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "longer than it need be";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("a\xe2\x82"), "a\\xe2\\x82") << "cut";
}

TEST(Printable, WhatItMakesIsPrintable) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    std::string bytes;
    for (auto left = engine() % 40; left > 0; --left) bytes += static_cast<char>(engine() % 256);
    EXPECT_TRUE(is_printable(printable(bytes)));
    EXPECT_TRUE(is_printable(printable_line(bytes, 10)));
    EXPECT_EQ(printable(bytes) == bytes, is_printable(bytes));
  }
}

TEST(PrintableLine, JoinsLines) {
  EXPECT_EQ(printable_line(" one \r\n\n\ttwo\n"), "one | two");
  EXPECT_EQ(printable_line("\n\n"), "");
}

TEST(PrintableLine, CutsBetweenCharactersAndSaysHowMuchThereWas) {
  EXPECT_EQ(printable_line("0123456789", 4), "0123… (10 bytes)");
  EXPECT_EQ(printable_line("ab€", 4), "ab… (5 bytes)");
  EXPECT_EQ(printable_line("ab€", 5), "ab€");
}

}  // namespace
}  // namespace gemmtune
