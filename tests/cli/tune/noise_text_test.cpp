#include "gemmtune/cli/tune/noise_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gemmtune {
namespace {

Evaluation timed(std::string name, double low_us, double high_us) {
  return {.candidate = {.family = "f", .name = std::move(name)},
          .stage = Stage::confirm,
          .timing = {.median_us = 10, .low_us = low_us, .high_us = high_us, .dispersion = (high_us - low_us) / 10}};
}

ShapeResult result_with(double regret, double low_us, double high_us) {
  ShapeResult result{.winner = timed("f_0", low_us, high_us),
                     .claim = RegretClaim{.regret = regret, .probability = 0.95, .target = 0.02}};
  result.confirmed = {*result.winner, timed("f_1", low_us, high_us)};
  return result;
}

TEST(NoiseText, TellsWideIntervalsFromCandidatesThatWereNotTried) {
  EXPECT_TRUE(is_regret_of_noise(result_with(0.669, 8, 13)));
  EXPECT_FALSE(is_regret_of_noise(result_with(0.669, 9.9, 10.1)));
  EXPECT_FALSE(is_regret_of_noise(result_with(0.019, 9.9, 10.1))) << "small enough";
  auto result = result_with(0.669, 9.9, 10.1);
  result.confirmed.push_back(timed("f_2", 6, 14));
  EXPECT_TRUE(is_regret_of_noise(result)) << "f_2 may take 6 us";
  result.claim.reset();
  EXPECT_FALSE(is_regret_of_noise(result));
}

TEST(NoiseText, HasNothingToRemarkOnQuietTimes) {
  EXPECT_EQ(noise_lines({}), "");
  EXPECT_EQ(noise_lines(std::vector{result_with(0.005, 9.99, 10.01)}), "");
}

TEST(NoiseText, CountsTheShapesWhoseRegretIsWide) {
  const std::vector results{result_with(0.669, 8, 13), result_with(0.005, 9.99, 10.01)};
  EXPECT_EQ(noise_lines(results),
            "regret: for 1 of 2 shapes the bound is above 2 % mostly because the times scatter, not because candidates "
            "were left out: tune again when nothing else uses the device\n");
}

TEST(NoiseText, HoldsRegretsAgainstWhatWasAimedAt) {
  auto result = result_with(0.01, 9.9, 10.1);
  EXPECT_EQ(noise_lines(std::vector{result}), "");
  result.claim->target = 0.005;
  EXPECT_EQ(noise_lines(std::vector{result}),
            "regret: for 1 of 1 shape the bound is above 0.5 % mostly because the times scatter, not because "
            "candidates were left out: tune again when nothing else uses the device\n");
}

TEST(NoiseText, SaysWhenAWinnersTimeHasNoErrorBar) {
  EXPECT_EQ(
      noise_lines(std::vector{result_with(0, 10, 10)}),
      "regret: not known for 1 of 1 shape, since the winner's time has no error bar: it has one sample, or all its "
      "samples are equal\n");
}

TEST(NoiseText, CountsEachTimeOnce) {
  auto result = result_with(0.005, 8, 13);
  result.default_choice = result.confirmed[1];
  EXPECT_EQ(noise_lines(std::vector{result}),
            "noise: 2 of 2 times have a spread above 5 %, so the device is probably busy with other work: measure "
            "again when nothing else runs (--all --fresh)\n");
  result.default_choice->candidate.name = "f_default";
  EXPECT_EQ(noise_lines(std::vector{result}),
            "noise: 3 of 3 times have a spread above 5 %, so the device is probably busy with other work: measure "
            "again when nothing else runs (--all --fresh)\n");
}

TEST(NoiseText, DoubtsLargeGainsInNoisyRunsOnly) {
  auto result = result_with(0.005, 8, 13);
  result.default_choice = timed("f_default", 8, 13);
  result.default_choice->timing.median_us = 60;
  const auto text = noise_lines(std::vector{result});
  EXPECT_NE(text.find("\ndoubtful: 1 gain is above 5x, in a run whose times scatter"), std::string::npos) << text;
  result.default_choice->timing.median_us = 40;
  EXPECT_EQ(noise_lines(std::vector{result}).find("doubtful"), std::string::npos) << "4x";
  auto quiet = result_with(0.005, 9.99, 10.01);
  quiet.default_choice = timed("f_default", 9.99, 10.01);
  quiet.default_choice->timing.median_us = 60;
  EXPECT_EQ(noise_lines(std::vector{quiet}), "");
}

}  // namespace
}  // namespace gemmtune
