// Many threads plan and launch while tables change under them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "gemmtune/families/registry.h"
#include "tests/runtime/tables.h"

namespace gemmtune {
namespace {

constexpr int thread_count = 16;
constexpr int rounds = 60;
constexpr std::size_t least_reloads = 3;

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all{"4x16x32:f32:f32:f32", "3x24x32:f32:f32:f32:bias", "1x16x48:bf16:bf16:f32",
                                            "5x16x32:f32:f32:f32:packed"};
  return all;
}

Candidate nth(const std::string& family, const std::string& problem, std::size_t n) {
  const auto cpu = list_devices().front();
  for (const auto& one : make_families()) {
    if (one->name() != family) continue;
    const auto all = one->candidates(parse_problem(problem), cpu);
    return all[n % all.size()];
  }
  return {};
}

class ThreadsOfARuntime : public testing::Test {
 protected:
  /// Another kernel for each problem at each call.
  void rewrite(std::size_t n) {
    for (const auto& text : texts()) table.add(text, nth(n % 2 == 0 ? "cpu_tile" : "onednn", text, n));
    table.write();
  }

  TableFile table{Format::a16w16, list_devices().front()};
};

TEST_F(ThreadsOfARuntime, MultiplyRightWhileTablesAreReloaded) {
  rewrite(0);
  Runtime runtime({.device = "cpu",
                   .dispatcher = {.tables = {table.source()}, .say = [](const std::string&) {}},
                   .say = [](const std::string&) {}});
  std::vector<Drawn> drawn;
  for (const auto& text : texts()) drawn.emplace_back(text);
  std::atomic<int> running{thread_count};
  std::atomic<int> wrong{0};
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::size_t> reloads{0};  // while threads launch
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < rounds || reloads < least_reloads; ++round) {
        const auto& one = drawn[static_cast<std::size_t>(i + round) % drawn.size()];
        const auto answer = runtime.plan({.problem = one.problem});
        const auto why = answer.plan ? why_wrong(*answer.plan, one) : answer.why_not;
        ++launches;
        if (!why.empty() && ++wrong == 1) ADD_FAILURE() << to_string(one.problem) << ": " << why;
      }
      --running;
    });
  for (std::size_t n = 1; running > 0; ++n) {
    rewrite(n);
    const auto reload = runtime.poll();
    EXPECT_NE(reload, Reload::failed);
    if (reload == Reload::reloaded) ++reloads;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runtime.totals().launches, launches);
  EXPECT_GE(runtime.totals().reloads, least_reloads);
}

TEST_F(ThreadsOfARuntime, ShareOnePlan) {
  rewrite(1);
  Runtime runtime({.device = "cpu", .dispatcher = {.tables = {table.source()}}});
  for (const auto& text : texts()) {
    const Drawn drawn(text);
    const auto plan = runtime.plan({.problem = drawn.problem}).plan;
    std::vector<std::string> whys(thread_count);
    std::vector<std::thread> threads;
    for (auto& why : whys)
      threads.emplace_back([&] {
        for (int round = 0; round < rounds && why.empty(); ++round) why = why_wrong(*plan, drawn);
      });
    for (auto& thread : threads) thread.join();
    for (const auto& why : whys) EXPECT_EQ(why, "") << text;
  }
}

}  // namespace
}  // namespace gemmtune
