#include "gemmtune/core/words.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, AreThoseOfAShell) {
  EXPECT_EQ(command_words(""), Words{});
  EXPECT_EQ(command_words("  python3   -m x\t--device {device} "),
            (Words{"python3", "-m", "x", "--device", "{device}"}));
  EXPECT_EQ(command_words(R"(a 'b c' "d e"f g\ h)"), (Words{"a", "b c", "d ef", "g h"}));
  EXPECT_EQ(command_words(R"('a\b' "a\"b" '' "")"), (Words{"a\\b", "a\"b", "", ""}));
  EXPECT_EQ(command_words("$HOME *"), (Words{"$HOME", "*"})) << "nothing is expanded";
}

TEST(CommandWords, AQuoteEnds) {
  EXPECT_THROW(command_words("a 'b"), Error);
  EXPECT_THROW(command_words("a \"b'"), Error);
}

}  // namespace
}  // namespace gemmtune
