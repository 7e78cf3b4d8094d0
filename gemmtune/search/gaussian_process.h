// Regression by a Gaussian process over distances: points near each other have similar values. How far similarity
// reaches is found from the values themselves.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gemmtune {

/// The lower triangular L with L·Lᵀ = `matrix`, which is symmetric, positive definite, and has n rows of n.
std::vector<double> cholesky(std::vector<double> matrix, std::size_t n);

class GaussianProcess {
 public:
  /// `distances` holds those between all pairs of the points at which `values` were seen, row by row. There must be two
  /// points or more. The reach of similarity is the one that makes the values likeliest.
  GaussianProcess(std::span<const double> distances, std::span<const double> values);

  struct Prediction {
    double mean{};
    double deviation{};
  };

  /// Predicts new points. `distances` has one row for each point seen: the distances of all new points from it.
  std::vector<Prediction> at(std::span<const double> distances) const;

  /// How far the values seen are from what the others predict for them, in the deviations that it states for these
  /// predictions: the root of the mean square, 1 when the stated deviations are right.
  double leave_one_out_deviation() const;

 private:
  struct Fit;
  static Fit fit(std::span<const double> distances, std::span<const double> centred, double reach);

  std::size_t count_{};
  double mean_{};
  double variance_{};              // of a point far from all others
  double reach_{};                 // the distance over which correlation falls to 1/e
  std::vector<double> factor_{};   // the Cholesky factor of the correlations
  std::vector<double> weights_{};  // of the values seen
};

}  // namespace gemmtune
