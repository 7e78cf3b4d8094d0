// How often races claim too little, under all kinds of noise. bench/calibration.cpp makes the same table of more races.
#include "tests/search/calibration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gemmtune::invented {
namespace {

/// Few, because every race screens and fits forecasts; each from a seed of its own.
constexpr std::int64_t races = 20;

class ClaimsUnder : public testing::TestWithParam<SpaceKind> {
 protected:
  std::vector<Calibration> all() const {
    std::vector<Calibration> calibrations;
    for (const auto& noise : all_noises()) calibrations.push_back(calibrate({noise, GetParam()}, races, 1));
    fmt::print("{}", table_of(calibrations));
    return calibrations;
  }
};

/// A claim of 95 % may be false in one of 20. All noises together must stay within that; of a single one, 20 races show
/// only whether it is far beyond it. docs/results/calibration.md has hundreds of races of each.
TEST_P(ClaimsUnder, AllNoisesHoldAsOftenAsTheySay) {
  double violated = 0;
  const auto calibrations = all();
  for (const auto& one : calibrations) {
    EXPECT_LE(one.violated, 0.15 + 1e-9) << one.of.noise.name;
    EXPECT_GE(one.covered, 0.85) << one.of.noise.name;
    EXPECT_LE(one.regret, 0.006) << one.of.noise.name;
    violated += one.violated;
  }
  EXPECT_LE(violated / static_cast<double>(calibrations.size()), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Spaces, ClaimsUnder, testing::Values(SpaceKind::dense, SpaceKind::rough),
                         [](const auto& space) { return to_string(space.param); });

/// Nothing foretells the fastest candidate: the claim supposes that there is no such one, and says so.
TEST(Claims, OfSpacesWithAnOutlierSayWhatTheySuppose) {
  const auto one = calibrate({all_noises().front(), SpaceKind::outlier}, races, 1);
  EXPECT_GT(one.violated, 0) << "or this space shows nothing";
  EXPECT_EQ(one.supposing, 1) << "the share of violated claims that name candidates not measured";
}

}  // namespace
}  // namespace gemmtune::invented
