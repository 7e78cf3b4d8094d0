#include "gemmtune/fleet/shell_words.h"

#include <gtest/gtest.h>

#include <chrono>

#include "gemmtune/core/subprocess.h"

namespace gemmtune {
namespace {

const std::vector<std::string> hostile{"it's", "a \"b\"", "$(touch /tmp/x)", "`id`", "a\\b", "*", "", "-n", "a\tb", "é",
                                       "!x",   "{}"};

/// What sh makes of a script's positional parameters, one a line.
std::vector<std::string> seen_by_sh(const std::string& script) {
  Subprocess sh({"sh", "-c", script + "for word; do printf '%s\\n' \"$word\"; done"});
  std::vector<std::string> words;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (auto read = sh.read_line(deadline); read.status == ReadStatus::line; read = sh.read_line(deadline))
    words.push_back(read.line);
  return words;
}

TEST(ShellWords, ShReadsArgumentsAsTheyAre) { EXPECT_EQ(seen_by_sh(arguments_script(hostile)), hostile); }

TEST(ShellWords, ShReadsALineAsItsWords) { EXPECT_EQ(seen_by_sh("set -- " + shell_line(hostile) + "\n"), hostile); }

TEST(ShellWords, PlainWordsStayReadable) {
  EXPECT_EQ(shell_line({"ssh", "-p", "22", "a@b", "x y"}), "ssh -p 22 a@b 'x y'");
}

TEST(ShellWords, PlainNamesAreTheSameInEveryShell) {
  for (const auto* name : {"17", "calibration-3", "put-and-start", "a_b.c"}) EXPECT_TRUE(is_plain_name(name)) << name;
  for (const auto* name : {"", "-x", ".", "a b", "a;b", "a/b", "$x"}) EXPECT_FALSE(is_plain_name(name)) << name;
}

TEST(ShellWords, VariablesHaveNames) {
  EXPECT_TRUE(is_variable_name("CUDA_VISIBLE_DEVICES"));
  for (const auto* name : {"", "1A", "A-B", "A=B", "A B"}) EXPECT_FALSE(is_variable_name(name)) << name;
}

}  // namespace
}  // namespace gemmtune
