#include "gemmtune/device/cpu/block_pool.h"

#include <gtest/gtest.h>
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace gemmtune {
namespace {

constexpr std::size_t unit = BlockPool::unit;

TEST(BlockPool, BlocksAreWholeUnitsAndAligned) {
  BlockPool pool;
  const auto block = pool.take(unit + 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % unit, 0U);
  EXPECT_EQ(block.size, unit + 1);
  EXPECT_EQ(block.capacity, 2 * unit);
  pool.give_back(block);
}

TEST(BlockPool, GivesOutAgainWhatIsNotMuchTooLarge) {
  BlockPool pool;
  const auto large = pool.take(10 * unit);
  pool.give_back(large);
  EXPECT_EQ(pool.kept_bytes(), 10 * unit);
  const auto smaller = pool.take(8 * unit);
  EXPECT_EQ(smaller.data, large.data);
  EXPECT_EQ(smaller.size, 8 * unit);
  EXPECT_EQ(smaller.capacity, 10 * unit);
  pool.give_back(smaller);
  const auto much_smaller = pool.take(7 * unit);
  EXPECT_EQ(much_smaller.capacity, 7 * unit);
  pool.give_back(much_smaller);
}

TEST(BlockPool, TakesTheTightest) {
  BlockPool pool;
  const auto first = pool.take(10 * unit);
  const auto second = pool.take(9 * unit);
  pool.give_back(first);
  pool.give_back(second);
  const auto block = pool.take(9 * unit - 5);
  EXPECT_EQ(block.data, second.data);
  pool.give_back(block);
}

TEST(BlockPool, NeverHoldsMoreThanWasInUseAtOnce) {
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  BlockPool pool;
  std::vector<BlockPool::Block> used;
  std::size_t used_bytes = 0;
  std::size_t most = 0;
  for (int step = 0; step < 400; ++step) {
    if (used.empty() || random() % 2 == 0) {
      used.push_back(pool.take(unit / 2 + random() % (6 * unit)));
      used_bytes += used.back().capacity;
    } else {
      std::swap(used[random() % used.size()], used.back());
      used_bytes -= used.back().capacity;
      pool.give_back(used.back());
      used.pop_back();
    }
    most = std::max(most, used_bytes);
    ASSERT_LE(pool.kept_bytes() + used_bytes, most) << "step " << step << " of seed " << seed;
  }
  EXPECT_GT(pool.kept_bytes(), 0U);
  for (const auto& block : used) pool.give_back(block);
}

TEST(BlockPool, NoBlockIsGivenOutTwice) {
  BlockPool pool;
  const auto work = [&pool](std::byte mark) {
    for (int i = 0; i < 200; ++i) {
      const auto block = pool.take(unit);
      block.data[0] = mark;
      block.data[unit - 1] = mark;
      std::this_thread::yield();
      EXPECT_EQ(block.data[0], mark);
      EXPECT_EQ(block.data[unit - 1], mark);
      pool.give_back(block);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, static_cast<std::byte>(i));
}

#if defined(__SANITIZE_ADDRESS__)
TEST(BlockPool, ASanitizerSeesWhatRunsOverAndWhatIsKept) {
  BlockPool pool;
  pool.give_back(pool.take(10 * unit));
  const auto block = pool.take(10 * unit - 24);
  EXPECT_EQ(__asan_region_is_poisoned(block.data, block.size), nullptr);
  EXPECT_TRUE(__asan_address_is_poisoned(block.data + block.size));
  EXPECT_TRUE(__asan_address_is_poisoned(block.data + block.capacity - 1));
  pool.give_back(block);
  EXPECT_TRUE(__asan_address_is_poisoned(block.data));
}
#elif !defined(__SANITIZE_THREAD__)  // sanitizers end the process instead
TEST(BlockPool, RefusesWhatThereIsNoMemoryFor) {
  BlockPool pool;
  pool.give_back(pool.take(unit));
  EXPECT_EQ(pool.take(std::numeric_limits<std::size_t>::max() / 4).data, nullptr);
  const auto block = pool.take(unit);
  EXPECT_NE(block.data, nullptr);
  pool.give_back(block);
}
#endif

}  // namespace
}  // namespace gemmtune
