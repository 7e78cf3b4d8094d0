#include "gemmtune/search/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gemmtune {
namespace {

TEST(Cholesky, MultipliesBackToTheMatrix) {
  const std::vector<double> matrix{4, 2, 1, 2, 5, 3, 1, 3, 6};
  const auto factor = cholesky(matrix, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += factor[i * 3 + k] * factor[j * 3 + k];
      EXPECT_NEAR(sum, matrix[i * 3 + j], 1e-12) << i << ',' << j;
    }
}

/// Points on a line at 0, 1, …, n - 1.
GaussianProcess on_a_line(const std::vector<double>& values) {
  const auto n = values.size();
  std::vector<double> distances;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) distances.push_back(std::abs(static_cast<double>(i) - static_cast<double>(j)));
  return {distances, values};
}

std::vector<double> distances_from(double place, std::size_t n) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < n; ++i) distances.push_back(std::abs(place - static_cast<double>(i)));
  return distances;
}

std::vector<double> ramp(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(0.1 * static_cast<double>(i));
  return values;
}

TEST(GaussianProcess, FillsGapsOfWhatIsSmooth) {
  const auto process = on_a_line(ramp(12));
  EXPECT_NEAR(process.at(distances_from(5.5, 12)).front().mean, 0.55, 0.02);
}

TEST(GaussianProcess, IsSurerNearWhatItHasSeen) {
  const auto process = on_a_line(ramp(12));
  const auto near = process.at(distances_from(5.5, 12)).front();
  const auto far = process.at(distances_from(40, 12)).front();
  EXPECT_LT(near.deviation, far.deviation / 2);
  EXPECT_GT(far.deviation, 0.1);
}

TEST(GaussianProcess, FarFromAllItExpectsTheMean) {
  EXPECT_NEAR(on_a_line({1, 2, 3, 4}).at(distances_from(1e6, 4)).front().mean, 2.5, 1e-9);
}

TEST(GaussianProcess, ValuesThatAgreeLeaveSomeDoubt) {
  const auto process = on_a_line({2, 2, 2, 2});
  const auto far = process.at(distances_from(1e6, 4)).front();
  EXPECT_DOUBLE_EQ(far.mean, 2);
  EXPECT_GT(far.deviation, 0.005);
}

/// Between neighbours that foretell another value.
TEST(GaussianProcess, LeavingOneOutShowsWhatTheOthersDoNotForetell) {
  EXPECT_LT(on_a_line(ramp(12)).leave_one_out_deviation(), 1.5);
  auto values = ramp(12);
  values[5] = -2;
  EXPECT_GT(on_a_line(values).leave_one_out_deviation(), on_a_line(ramp(12)).leave_one_out_deviation());
}

}  // namespace
}  // namespace gemmtune
