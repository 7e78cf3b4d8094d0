// What `race` is worth on real devices' trials: every recording that ships is replayed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gemmtune/evaluate/turns.h"
#include "gemmtune/replay/score.h"

namespace gemmtune {
namespace {

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GEMMTUNE_RECORDINGS))
    if (entry.path().string().ends_with(".csv.xz")) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

bool is_of_gpu(const Recording& recording) {
  return std::ranges::all_of(recording, [](const RecordedShape& shape) { return shape.kind != DeviceKind::cpu; });
}

class RecordedSet : public testing::TestWithParam<std::filesystem::path> {};

/// A recording of few shapes is replayed more often: which of two neighbours wins one shape is a matter of luck.
int repeats_of(const Recording& recording) { return std::clamp(60 / static_cast<int>(recording.size()), 5, 20); }

/// The last few tenths of a percent of regret are the tie rule's, which prefers less memory to them.
TEST_P(RecordedSet, RaceChoosesNearlyTheBestForAFractionOfTheTime) {
  const auto recording = read_recording(GetParam());
  const auto all = scores(
      replay(recording, {.searches = {"exhaustive", "screen", "race", "tunableop"}, .repeats = repeats_of(recording)}));
  const auto &exhaustive = all[0], &screen = all[1], &race = all[2], &tunable_op = all[3];
  for (const auto& score : all)
    fmt::print("{:12} regret {:.2f} % worst {:.2f} % device {:.3f} s\n", score.search, 100 * score.mean_regret,
               100 * score.worst_regret, score.device_s);
  EXPECT_EQ(race.without_winner, exhaustive.without_winner);
  EXPECT_LT(race.device_s, screen.device_s);
  EXPECT_LE(race.mean_regret, 1.05 * screen.mean_regret + 0.005);
  if (!is_of_gpu(recording)) return;  // too few candidates for more, and machines that others used meanwhile
  EXPECT_LE(race.mean_regret, 0.005);
  EXPECT_LE(race.worst_regret, 0.03);
  const double settling_s = settling_us({}) / 1e6 * static_cast<double>(recording.size());  // the same for all
  EXPECT_LE(race.device_s, 0.1 * exhaustive.device_s + settling_s);
  EXPECT_LT(race.device_s, tunable_op.device_s);
  EXPECT_LE(race.mean_regret, tunable_op.mean_regret + 0.002);
  EXPECT_GE(race.held.value_or(0), 0.9) << "claimed at 95 %";
}

std::string name_of(const testing::TestParamInfo<std::filesystem::path>& info) {
  auto name = info.param.filename().string();
  name.resize(name.find('.'));
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, RecordedSet, testing::ValuesIn(recordings()), name_of);

}  // namespace
}  // namespace gemmtune
