// Regression by a Gaussian process over distances: what is near is alike, and how near is found from the values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gemmtune {

/// The lower triangle of L with L·Lᵀ = `matrix` (symmetric, positive definite, n rows of n).
std::vector<double> cholesky(std::vector<double> matrix, std::size_t n);

class GaussianProcess {
 public:
  /// `distances` between all pairs of the points at which `values` were seen, row by row. Two points or more. How far
  /// similarity reaches is chosen by the likelihood of the values.
  GaussianProcess(std::span<const double> distances, std::span<const double> values);

  struct Prediction {
    double mean{};
    double deviation{};
  };

  /// At some points: `distances` has a row for each point seen, of the distances of all new ones from it.
  std::vector<Prediction> at(std::span<const double> distances) const;

 private:
  struct Fit;
  static Fit fit(std::span<const double> distances, std::span<const double> centred, double reach);

  std::size_t count_{};
  double mean_{};
  double variance_{};              // of a point far from all
  double reach_{};                 // over this distance, likeness falls to 1/e
  std::vector<double> factor_{};   // Cholesky's, of the correlations
  std::vector<double> weights_{};  // of the values seen
};

}  // namespace gemmtune
