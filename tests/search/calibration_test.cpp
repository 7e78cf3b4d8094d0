// How often races claim too little, under all kinds of noise. bench/calibration.cpp makes the same table of more races.
#include "tests/search/calibration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gemmtune::invented {
namespace {

/// Few, because every race screens and fits forecasts; each from a seed of its own.
constexpr std::int64_t races = 40;

/// Of a claim of 95 %.
constexpr double may_be_violated = 0.05;

/// A count that is less probable than this is no accident.
constexpr double improbable = 0.02;

/// P(at least `count` of `of` are violated), if each is with probability `share`.
double probability_of(std::int64_t count, std::int64_t of, double share) {
  double sum = 0;
  for (std::int64_t i = count; i <= of; ++i) {
    const auto n = static_cast<double>(of);
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(share) +
                    (n - k) * std::log1p(-share));
  }
  return sum;
}

TEST(Calibration, ProbabilitiesAreThoseOfTheBinomialDistribution) {
  EXPECT_NEAR(probability_of(0, 40, 0.05), 1, 1e-9);
  EXPECT_NEAR(probability_of(1, 2, 0.5), 0.75, 1e-9);
  EXPECT_NEAR(probability_of(6, 40, 0.05), 0.0139, 1e-4);
}

class ClaimsUnder : public testing::TestWithParam<SpaceKind> {
 protected:
  std::vector<Calibration> all() const {
    std::vector<Calibration> calibrations;
    for (const auto& noise : all_noises()) calibrations.push_back(calibrate({noise, GetParam()}, races, 1));
    fmt::print("{}", table_of(calibrations));
    return calibrations;
  }
};

/// A claim of 95 % may be false in one of 20. A line fails when so many false ones would be improbable, and so do all
/// lines together: their number shows smaller excesses. docs/results/calibration.md has hundreds of races of each.
TEST_P(ClaimsUnder, AllNoisesHoldAsOftenAsTheySay) {
  std::int64_t violated = 0;
  const auto calibrations = all();
  for (const auto& one : calibrations) {
    EXPECT_GE(probability_of(one.violated, races, may_be_violated), improbable)
        << one.of.noise.name << ": " << one.violated << " of " << races << " claims are false";
    EXPECT_GE(one.covered, 0.85) << one.of.noise.name;
    EXPECT_LE(one.regret, 0.006) << one.of.noise.name;
    violated += one.violated;
  }
  const auto count = races * std::ssize(calibrations);
  EXPECT_GE(probability_of(violated, count, may_be_violated), improbable)
      << violated << " of all " << count << " claims are false";
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
