#include "gemmtune/core/visible.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gemmtune {
namespace {

TEST(Visible, PlainTextStaysAsItIs) {
  for (const auto* text : {"", "kernel_256x128", "a b", "größer als 3 µs → ✓", "日本語", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(visible(text), text);
}

TEST(Visible, WhatATerminalObeysIsWritten) {
  EXPECT_EQ(visible("\x1b[2Jx"), "\\x1b[2Jx");
  EXPECT_EQ(visible("a\rb\nc\td\x7f"), "a\\x0db\\x0ac\\x09d\\x7f");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\u{009b}31m");  // the escape sequence's start in one character
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "txt"),
            "\\u{202e}txt");  // right to left
}

TEST(Visible, BytesThatAreNotUtf8AreWritten) {
  EXPECT_EQ(visible("a\xff"
                    "b"),
            "a\\xffb");
  EXPECT_EQ(visible("\xc3"), "\\xc3");                             // cut
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above the last character
  EXPECT_EQ(visible("\x9b"), "\\x9b");
}

/// Whatever the bytes are, what is shown has no control character and shows itself.
TEST(Visible, AnyBytes) {
  std::uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 24; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      bytes += static_cast<char>(state >> 33);
    }
    const auto shown = visible(bytes);
    for (const char c : shown) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << shown;
    ASSERT_EQ(visible(shown), shown);
  }
}

TEST(Visible, OnlyTextThatStaysAsItIsIsVisible) {
  EXPECT_TRUE(is_visible(""));
  EXPECT_TRUE(is_visible("größer als 3 µs"));
  for (const auto* text : {"a\n", "\x1b[2J", "a\u202eb", "\ufff9", "\xff"})
    EXPECT_FALSE(is_visible(text)) << visible(text);
}

TEST(Visible, LinesBecomeOne) {
  EXPECT_EQ(visible_line(" one \r\n\n\ttwo\n"), "one | two");
  EXPECT_EQ(visible_line("\n\n"), "");
  EXPECT_EQ(visible_line("0123456789", 4), "0123… (10 bytes)");
  EXPECT_EQ(visible_line("ab€", 4), "ab… (5 bytes)");
  EXPECT_EQ(visible_line("ab€", 5), "ab€");
}

TEST(Visible, LinesStayLines) { EXPECT_EQ(visible_lines("a\n\tb\r\x1b"), "a\n\tb\\x0d\\x1b"); }

TEST(Visible, LongTextsAreCutWithACount) {
  EXPECT_EQ(visible_start("abc", 3), "abc");
  EXPECT_EQ(visible_start("abcd", 3), "abc… (4 bytes)");
  EXPECT_EQ(visible_start("ab\xc3\xa4"
                          "cd",
                          3),
            "ab… (6 bytes)");  // not within a character
  EXPECT_EQ(visible_start(std::string(10, '\x80'), 8).substr(0, 4), "\\x80");
}

}  // namespace
}  // namespace gemmtune
