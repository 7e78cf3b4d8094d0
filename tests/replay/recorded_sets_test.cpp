// What `race` is worth on real devices' trials: every recording that ships is replayed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "gemmtune/replay/score.h"

namespace gemmtune {
namespace {

bool is_of_gpu(const Recording& recording) {
  return std::ranges::all_of(recording, [](const RecordedShape& shape) { return shape.kind != DeviceKind::cpu; });
}

std::vector<Recording> recordings() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GEMMTUNE_RECORDINGS))
    if (entry.path().string().ends_with(".csv.xz")) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Recording> all;
  std::ranges::transform(paths, std::back_inserter(all), read_recording);
  return all;
}

struct Scores {
  SearchScore exhaustive{};
  SearchScore screen{};
  SearchScore race{};
  SearchScore tunable_op{};
};

Scores scores_of(const Recording& recording, std::int64_t repeats) {
  const auto all =
      scores(replay(recording, {.searches = {"exhaustive", "screen", "race", "tunableop"}, .repeats = repeats}));
  for (const auto& score : all)
    fmt::print("{:12} regret {:.2f} % worst {:.2f} % device {:.3f} s\n", score.search, 100 * score.mean_regret,
               100 * score.worst_regret, score.device_s);
  return {.exhaustive = all[0], .screen = all[1], .race = all[2], .tunable_op = all[3]};
}

/// Together: on a single shape, chance decides which of two near ones wins. The last few tenths of a percent of regret
/// are the tie rule's, which prefers less memory to them. `race` settles the clock a few times for each shape, however
/// few candidates there are: most of these shapes have about 150.
TEST(RecordedSets, OnGpusRaceChoosesNearlyTheBestForAFractionOfTheTime) {
  Recording together;
  for (const auto& recording : recordings())
    if (is_of_gpu(recording)) together.insert(together.end(), recording.begin(), recording.end());
  ASSERT_GE(together.size(), 40U);
  const auto [exhaustive, screen, race, tunable_op] = scores_of(together, 3);
  EXPECT_EQ(race.without_winner, exhaustive.without_winner);
  EXPECT_LE(race.mean_regret, screen.mean_regret);
  EXPECT_LE(race.mean_regret, tunable_op.mean_regret);
  EXPECT_LE(race.mean_regret, 0.005);
  EXPECT_LE(race.worst_regret, 0.03);
  EXPECT_LE(race.device_s, 0.12 * exhaustive.device_s);
  EXPECT_GE(race.held.value_or(0), 0.9) << "claimed at 95 %";
}

/// Too few candidates for more, and machines that others used meanwhile.
TEST(RecordedSets, OnCpusRaceIsNoWorseThanScreening) {
  for (const auto& recording : recordings()) {
    if (is_of_gpu(recording)) continue;
    const auto [exhaustive, screen, race, tunable_op] = scores_of(recording, 10);
    EXPECT_EQ(race.without_winner, exhaustive.without_winner);
    EXPECT_LT(race.device_s, exhaustive.device_s) << "though it goes on until its regret is small";
    EXPECT_LE(race.mean_regret, 1.05 * screen.mean_regret + 0.005);
    EXPECT_LT(race.mean_regret, tunable_op.mean_regret);
  }
}

}  // namespace
}  // namespace gemmtune
