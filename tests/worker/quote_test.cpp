#include "gemmtune/worker/quote.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

using namespace std::string_literals;

TEST(Quote, ShowsWhatCannotBePrinted) {
  EXPECT_EQ(quote("plain"), "'plain'");
  EXPECT_EQ(quote("a\0b\x1b[31m\xff"s), "'a\\x00b\\x1b[31m\\xff'");
  EXPECT_EQ(quote(""), "''");
}

TEST(Quote, CutsAndSaysHowMuchThereWas) { EXPECT_EQ(quote("0123456789", 4), "'0123…' (10 bytes)"); }

TEST(LastLines, KeepsTheEndThatSaysSomething) {
  EXPECT_EQ(last_lines("one\ntwo\n\n  \nthree\nfour\n"), "two | three | four");
  EXPECT_EQ(last_lines("one\ntwo", 1), "two");
  EXPECT_EQ(last_lines("\n\n"), "");
  EXPECT_EQ(last_lines(""), "");
  EXPECT_EQ(last_lines("bell\a"), "bell\\x07");
}

TEST(LastLines, KeepsToItsLimit) {
  const std::string flood(100000, 'e');
  EXPECT_EQ(last_lines(flood).size(), 400U);
  EXPECT_EQ(last_lines(flood + "\nlast words").substr(390), "last words");
}

}  // namespace
}  // namespace gemmtune
