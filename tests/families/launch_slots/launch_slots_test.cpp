#include "gemmtune/families/launch_slots.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

namespace gemmtune {
namespace {

TEST(LaunchSlots, NoTwoThreadsHaveOneState) {
  const LaunchSlots<int> slots([] { return 0; }, 3);
  std::atomic<int> shared{0};
  std::atomic<long> uses{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n)
        slots.with([&](int& users) {
          if (++users != 1) ++shared;
          std::this_thread::yield();
          --users;
          ++uses;
        });
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(uses, 16'000);
}

TEST(LaunchSlots, ASlotIsFreeAgainAfterAnException) {
  const LaunchSlots<int> slots([] { return 7; }, 1);
  EXPECT_THROW(slots.with([](int&) { throw std::runtime_error("refused"); }), std::runtime_error);
  EXPECT_EQ(slots.with([](int& state) { return state; }), 7);
}

TEST(LaunchSlots, UsesInsideUsesHaveOtherStates) {
  int made = 0;
  const LaunchSlots<int> slots([&] { return ++made; }, 2);
  std::set<int> states;
  slots.with([&](int& outer) { slots.with([&](int& inner) { states = {outer, inner}; }); });
  EXPECT_EQ(states, (std::set<int>{1, 2}));
}

TEST(ThreadNumber, IsAThreadsOwn) {
  const auto mine = this_thread_number();
  EXPECT_EQ(this_thread_number(), mine);
  std::set<std::size_t> all{mine};
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i)
    threads.emplace_back([&] {
      const auto number = this_thread_number();
      const std::lock_guard lock(mutex);
      all.insert(number);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(all.size(), 6U);
}

}  // namespace
}  // namespace gemmtune
