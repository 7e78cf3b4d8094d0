#include "gemmtune/search/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "gemmtune/core/parallel.h"

namespace gemmtune {
namespace {

/// The share of the variance that is noise, or that distances do not explain.
constexpr double nugget = 0.01;

/// Values that happen to agree do not prove that all other values agree.
constexpr double least_variance = 1e-4;

constexpr std::array reaches{1.0, 2.0, 4.0, 8.0, 16.0};

/// Solves L·x = b.
std::vector<double> forward(std::span<const double> factor, std::vector<double> b) {
  const auto n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= factor[i * n + j] * b[j];
    b[i] /= factor[i * n + i];
  }
  return b;
}

/// Solves Lᵀ·x = b.
std::vector<double> backward(std::span<const double> factor, std::vector<double> b) {
  const auto n = b.size();
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= factor[j * n + i] * b[j];
    b[i] /= factor[i * n + i];
  }
  return b;
}

/// Right-hand sides are solved for in groups of this many. Solved one at a time, they would take most of a search's
/// own time.
constexpr std::size_t columns_at_once = 32;
using Columns = std::array<double, columns_at_once>;

void subtract(Columns& from, double factor, const Columns& columns) {
  for (std::size_t c = 0; c < columns_at_once; ++c) from[c] -= factor * columns[c];
}

/// Σ weight · row.
Columns sums_of(std::span<const Columns> rows, std::span<const double> weights) {
  Columns sums{};
  for (std::size_t i = 0; i < rows.size(); ++i) subtract(sums, -weights[i], rows[i]);
  return sums;
}

/// Solves L·X = B in place and returns the sum of squares of each column of X.
Columns squares_after_forward(std::span<const double> factor, std::span<Columns> b) {
  const auto n = b.size();
  Columns squares{};
  for (std::size_t i = 0; i < n; ++i) {
    Columns row = b[i];
    for (std::size_t j = 0; j < i; ++j) subtract(row, factor[i * n + j], b[j]);
    for (std::size_t c = 0; c < columns_at_once; ++c) {
      row[c] /= factor[i * n + i];
      squares[c] += row[c] * row[c];
    }
    b[i] = row;
  }
  return squares;
}

/// The library chooses the order of the sum, which lets it keep several partial sums.
double dot(std::span<const double> a, std::span<const double> b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

std::vector<double> cholesky(std::vector<double> matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto row = std::span(matrix).subspan(i * n, j);
      const double sum = matrix[i * n + j] - dot(row, std::span(matrix).subspan(j * n, j));
      matrix[i * n + j] = i == j ? std::sqrt(sum) : sum / matrix[j * n + j];
    }
    for (std::size_t j = i + 1; j < n; ++j) matrix[i * n + j] = 0;
  }
  return matrix;
}

struct GaussianProcess::Fit {
  double reach{};
  double variance{};
  double log_likelihood{-std::numeric_limits<double>::infinity()};
  std::vector<double> factor{};
  std::vector<double> weights{};
};

// The likeliest variance has a closed form; only the reach must be tried out.
GaussianProcess::Fit GaussianProcess::fit(std::span<const double> distances, std::span<const double> centred,
                                          double reach) {
  const auto n = centred.size();
  std::vector<double> correlations(n * n);
  for (std::size_t i = 0; i < n * n; ++i) correlations[i] = std::exp(-distances[i] / reach);
  for (std::size_t i = 0; i < n; ++i) correlations[i * n + i] = 1 + nugget;
  Fit result{.reach = reach, .factor = cholesky(std::move(correlations), n)};
  const auto whitened = forward(result.factor, {centred.begin(), centred.end()});
  result.variance = dot(whitened, whitened) / static_cast<double>(n) + least_variance;
  double log_determinant = 0;
  for (std::size_t i = 0; i < n; ++i) log_determinant += 2 * std::log(result.factor[i * n + i]);
  result.log_likelihood = -0.5 * (static_cast<double>(n) * std::log(result.variance) + log_determinant);
  result.weights = backward(result.factor, whitened);
  return result;
}

GaussianProcess::GaussianProcess(std::span<const double> distances, std::span<const double> values)
    : count_(values.size()),
      mean_(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())) {
  std::vector<double> centred;
  for (const double value : values) centred.push_back(value - mean_);
  auto fits = parallel_map(reaches, 1, [&](double reach) { return fit(distances, centred, reach); });
  const auto best = std::ranges::max_element(fits, {}, &Fit::log_likelihood);
  reach_ = best->reach;
  variance_ = best->variance;
  factor_ = std::move(best->factor);
  weights_ = std::move(best->weights);
}

// With K = L·Lᵀ, the value that the others predict for point i is off by (K⁻¹·y)ᵢ / (K⁻¹)ᵢᵢ, and the variance of that
// is variance / (K⁻¹)ᵢᵢ (Rasmussen and Williams, Gaussian Processes for Machine Learning, equations 5.10 to 5.12).
double GaussianProcess::leave_one_out_deviation() const {
  double squares = 0;
  for (std::size_t first = 0; first < count_; first += columns_at_once) {
    const auto columns = std::min(columns_at_once, count_ - first);
    std::vector<Columns> unit(count_);
    for (std::size_t c = 0; c < columns; ++c) unit[first + c][c] = 1;
    const auto diagonal = squares_after_forward(factor_, unit);
    for (std::size_t c = 0; c < columns; ++c)
      squares += weights_[first + c] * weights_[first + c] / (diagonal[c] * variance_);
  }
  return std::sqrt(squares / static_cast<double>(count_));
}

std::vector<GaussianProcess::Prediction> GaussianProcess::at(std::span<const double> distances) const {
  const auto points = distances.size() / count_;
  std::vector<Prediction> predictions(points);
  const auto predict = [&](std::size_t first, std::size_t last) {
    std::vector<Columns> likeness(count_);
    for (std::size_t i = 0; i < count_; ++i)
      for (auto point = first; point < last; ++point)
        likeness[i][point - first] = std::exp(-distances[i * points + point] / reach_);
    const auto means = sums_of(likeness, weights_);
    const auto known = squares_after_forward(factor_, likeness);
    for (auto point = first; point < last; ++point) {
      const double left = std::max(1 + nugget - known[point - first], nugget);
      predictions[point] = {.mean = mean_ + means[point - first], .deviation = std::sqrt(variance_ * left)};
    }
  };
  parallel_pieces(static_cast<std::int64_t>(points), columns_at_once, [&](std::int64_t begin, std::int64_t end) {
    predict(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  });
  return predictions;
}

}  // namespace gemmtune
