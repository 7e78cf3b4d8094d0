#include "gemmtune/core/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace gemmtune {
namespace {

TEST(Text, TrimsWhatRealTablesHaveAroundCells) {
  EXPECT_EQ(trim(" 128\t\r\n"), "128");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim("a b"), "a b");
}

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(split("a,", ','), (std::vector<std::string_view>{"a", ""}));
}

TEST(Text, JoinUndoesSplit) { EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b"); }

TEST(Text, NumbersAreWholeTextsOrNothing) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("-7"), -7);
  EXPECT_EQ(parse_int("+7"), 7);
  for (const auto* text : {"", " 4", "4 ", "4x", "4.0", "+-4", "9223372036854775808"})
    EXPECT_EQ(parse_int(text), std::nullopt) << '\'' << text << '\'';
  EXPECT_EQ(parse_double("1e-2"), 0.01);
  EXPECT_EQ(parse_double("inf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_double("nan").value()));
  EXPECT_EQ(parse_double("1,5"), std::nullopt);
}

TEST(Text, BooleansAsAiterTakesThem) {
  for (const auto* text : {"yes", "True", "TRUE", "t", "Y", "1"}) EXPECT_EQ(parse_bool(text), true) << text;
  for (const auto* text : {"no", "False", "FALSE", "f", "n", "0"}) EXPECT_EQ(parse_bool(text), false) << text;
  EXPECT_EQ(parse_bool("maybe"), std::nullopt);
}

TEST(Text, ShortestIsPythonsRepr) {
  EXPECT_EQ(shortest(0.78), "0.78");
  EXPECT_EQ(shortest(21), "21.0");
  EXPECT_EQ(shortest(0), "0.0");
  EXPECT_EQ(shortest(-1), "-1.0");
  EXPECT_EQ(shortest(1e22), "1e+22");
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Text, ShortestParsesBackToTheSameNumber) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 130);
    ASSERT_EQ(parse_double(shortest(value)), value) << shortest(value);
  }
}

TEST(Text, HashIsTheSameEverywhere) {
  EXPECT_EQ(hash64(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash64("a"), 0xaf63dc4c8601ec8cULL);  // FNV-1a's published vectors
  EXPECT_EQ(hash64("foobar"), 0x85944171f73967e8ULL);
}

}  // namespace
}  // namespace gemmtune
