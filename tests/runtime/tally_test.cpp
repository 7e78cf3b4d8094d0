#include "gemmtune/runtime/tally.h"

#include <gtest/gtest.h>

#include <thread>

namespace gemmtune {
namespace {

TEST(SharedCount, CountsWhatAllThreadsAdd) {
  SharedCount count;
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) count.add();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count.total(), 40'000U);
}

TEST(Tally, KeepsOneTallyForAKernelAndAMatch) {
  Tally tally;
  const auto first = tally.of_kernel("onednn", "a", MatchKind::exact);
  EXPECT_EQ(tally.of_kernel("onednn", "a", MatchKind::exact), first);
  EXPECT_NE(tally.of_kernel("onednn", "a", MatchKind::nearest), first);
  EXPECT_NE(tally.of_kernel("onednn", "b", MatchKind::exact), first);
}

TEST(Tally, AddsUp) {
  Tally tally;
  const auto tuned = tally.of_kernel("onednn", "a", MatchKind::exact);
  const auto fallback = tally.of_kernel("cpu_tile", "b", MatchKind::fallback);
  for (int i = 0; i < 3; ++i) tuned->launches.add();
  for (int i = 0; i < 5; ++i) fallback->launches.add();
  tuned->refused.add();
  tally.note_plan(MatchKind::exact);
  tally.note_plan(MatchKind::fallback);
  tally.note_miss();
  tally.note_declined(4);
  tally.note_reload();
  EXPECT_EQ(tally.totals(), (Totals{.plans = {1, 0, 0, 0, 1},
                                    .missed = 1,
                                    .declined = 4,
                                    .launches = 8,
                                    .launches_tuned = 3,
                                    .refused = 1,
                                    .reloads = 1}));
  EXPECT_EQ(tally.summary(),
            (std::vector<std::string>{"plans: 1 exact, 0 padded, 0 nearest, 1 fallback, 1 missed; 4 choices declined; "
                                      "launches: 8, of them 3 tuned, 1 refused; 1 reloads",
                                      "           5 fallback      cpu_tile b", "           3 exact         onednn a"}));
}

}  // namespace
}  // namespace gemmtune
