#include "gemmtune/core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(Parallel, EveryIndexIsVisitedOnceInPiecesOfTheGrain) {
  for (const std::int64_t count : {0, 1, 7, 64, 1000}) {
    for (const std::int64_t grain : {1, 3, 64, 5000}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_pieces(count, grain, [&](std::int64_t begin, std::int64_t end) {
        EXPECT_EQ(begin % grain, 0);
        EXPECT_EQ(end, std::min(begin + grain, count));
        for (std::int64_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count << ' ' << grain;
    }
  }
}

TEST(Parallel, AMapHasOneResultForEachInOrder) {
  for (const std::size_t count : {0, 1, 7, 64, 1000}) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    const auto texts = parallel_map(numbers, 3, [](std::size_t number) { return std::to_string(number); });
    ASSERT_EQ(texts.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(texts[i], std::to_string(numbers[i]));
  }
}

TEST(Parallel, AFailureIsThrownOnAndEndsTheLoop) {
  std::atomic<int> calls{0};
  EXPECT_THROW(parallel_pieces(1'000'000, 1,
                               [&](std::int64_t begin, std::int64_t) {
                                 ++calls;
                                 if (begin == 5) fail(ErrorCode::internal, "no");
                               }),
               Error);
  EXPECT_LT(calls, 1'000'000);
}

}  // namespace
}  // namespace gemmtune
