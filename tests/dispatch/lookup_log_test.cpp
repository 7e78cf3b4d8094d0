#include "gemmtune/dispatch/lookup_log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

TEST(LookupLog, OneLineForEachProblemWhoeverAsks) {
  std::vector<std::string> lines;
  LookupLog log([&](const std::string& line) { lines.push_back(line); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::int64_t m = 1; m <= 100; ++m) log.note(a4w4(m, 64, 64), {});
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lines.size(), 100U);
  EXPECT_TRUE(lines[0].ends_with(": fallback: no row, and no rule knows a kernel")) << lines[0];
}

TEST(LookupLog, StopsBeforeItFillsTheMemory) {
  std::size_t count = 0;
  std::string last;
  LookupLog log([&](const std::string& line) {
    ++count;
    last = line;
  });
  for (std::int64_t m = 1; m <= static_cast<std::int64_t>(LookupLog::most_problems) + 10; ++m)
    log.note(a4w4(m, 64, 64), {});
  EXPECT_EQ(count, LookupLog::most_problems + 1);
  EXPECT_EQ(last, "100000 problems logged: no more of them");
}

}  // namespace
}  // namespace gemmtune
