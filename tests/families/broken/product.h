// A plain GEMM in double, in steps between which a fault can be planted.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::broken {

/// Decodes one operand to its real values, without allocating.
class Decoded {
 public:
  Decoded(Side side, std::int64_t batch, std::int64_t rows, std::int64_t k);

  /// Decodes stored values into `out`, which holds batch × rows × k floats.
  void decode(const std::byte* values, const std::byte* scales, std::span<float> out);

  /// From now on, E8M0 scale bytes of 255 (NaN) count as the scale 1.
  void ignore_nan_scales() { ignore_nan_ = true; }

  std::int64_t count() const { return batch_ * rows_ * k_; }

 private:
  const std::byte* usable_scales(const std::byte* scales);

  Side side_;
  std::int64_t batch_;
  std::int64_t rows_;
  std::int64_t k_;
  bool ignore_nan_{};
  std::vector<std::byte> scales_;
};

/// C before it is rounded to the output's type: [batch][M][N].
class Product {
 public:
  explicit Product(const Problem& problem);

  /// Sums over the first `k_used` of K.
  void multiply(std::span<const float> a, std::span<const float> w, std::int64_t k_used);

  /// Clamps each sum to ±share·‖a‖·‖w‖.
  void saturate(std::span<const float> a, std::span<const float> w, double share);

  void add_bias(const std::byte* bias);

  double& at(std::int64_t b, std::int64_t m, std::int64_t n);

  /// Rounds and writes the elements for which `written(m, n)` is true.
  void store(std::byte* c, const std::function<bool(std::int64_t, std::int64_t)>& written) const;

 private:
  Problem problem_;
  std::vector<double> values_;
};

}  // namespace gemmtune::broken
