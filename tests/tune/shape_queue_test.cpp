#include "gemmtune/tune/shape_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "gemmtune/tune/shape_order.h"

namespace gemmtune {
namespace {

TEST(ShapeQueue, HandsOutEachOnceInOrder) {
  ShapeQueue queue(as_listed(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(queue.take(), i);
    queue.finish();
  }
  EXPECT_EQ(queue.take(), std::nullopt);
}

TEST(ShapeQueue, KeepsToTheOrder) {
  const std::vector<std::size_t> order{2, 0, 1};
  ShapeQueue queue(order);
  for (const auto index : order) {
    EXPECT_EQ(queue.take(), index);
    queue.finish();
  }
}

TEST(ShapeQueue, OfNothingIsFinished) { EXPECT_EQ(ShapeQueue(as_listed(0)).take(), std::nullopt); }

TEST(ShapeQueue, HandsOutAgainWhatWasGivenBack) {
  ShapeQueue queue(as_listed(2));
  EXPECT_EQ(queue.take(), 0U);
  queue.give_back(0);
  EXPECT_EQ(queue.take(), 0U);
}

TEST(ShapeQueue, WaitsForWhatMayComeBack) {
  ShapeQueue queue(as_listed(1));
  const auto index = queue.take();
  std::optional<std::size_t> taken_over;
  std::thread other([&] { taken_over = queue.take(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  queue.give_back(*index);
  other.join();
  EXPECT_EQ(taken_over, 0U);
}

TEST(ShapeQueue, IsEmptiedByManyOnceEach) {
  constexpr std::size_t count = 500;
  ShapeQueue queue(as_listed(count));
  std::vector<std::atomic<int>> finished(count);
  std::atomic<int> returned{};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (const auto index = queue.take()) {
        if (*index % 5 == 0 && returned++ < 200) {
          queue.give_back(*index);
          continue;
        }
        ++finished[*index];
        queue.finish();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& times : finished) EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace gemmtune
