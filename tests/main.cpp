// The main function of every folder's tests. --file=problem_test.cpp runs the tests of that source alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

namespace {

bool stands_in(const testing::TestInfo& test, std::string_view file) {
  return std::filesystem::path(test.file()).filename() == file;
}

/// GoogleTest's pattern for the tests of a suite that are in the file. Each name ends with a colon.
std::string pattern_of(const testing::TestSuite& suite, std::string_view file) {
  std::string pattern;
  int count = 0;
  for (int i = 0; i < suite.total_test_count(); ++i) {
    const testing::TestInfo& test = *suite.GetTestInfo(i);
    if (!stands_in(test, file)) continue;
    pattern += std::string(suite.name()) + "." + test.name() + ":";
    ++count;
  }
  return count == suite.total_test_count() ? std::string(suite.name()) + ".*:" : pattern;
}

std::string pattern_of(std::string_view file) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string pattern;
  for (int i = 0; i < all.total_test_suite_count(); ++i) pattern += pattern_of(*all.GetTestSuite(i), file);
  return pattern;
}

/// False when the file has no tests. A filter that is set stays: GoogleTest starts its own death tests with one.
bool choose_tests(std::string_view file) {
  const std::string pattern = pattern_of(file);
  if (testing::GTEST_FLAG(filter) == "*") testing::GTEST_FLAG(filter) = pattern;
  return !pattern.empty();
}

}  // namespace

int main(int argument_count, char** arguments) {
  testing::InitGoogleTest(&argument_count, arguments);
  for (int i = 1; i < argument_count; ++i) {
    const std::string_view argument = arguments[i];
    constexpr std::string_view flag = "--file=";
    if (!argument.starts_with(flag) || !choose_tests(argument.substr(flag.size()))) {
      std::cerr << arguments[0] << ": there are no tests for " << argument << '\n';
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
