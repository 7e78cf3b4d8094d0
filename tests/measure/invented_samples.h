// Timing samples as no machine gives them on purpose: with known medians.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gemmtune/measure/samples.h"

namespace gemmtune::invented {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}

  /// Symmetric around `median`.
  double normal(double median, double relative) {
    return median * (1 + relative * std::normal_distribution<double>()(engine_));
  }

  /// Never below `floor`, with a long tail: how launches really scatter. Its median is floor + scale·ln 2.
  double skewed(double floor, double scale) { return floor + scale * std::exponential_distribution<double>()(engine_); }

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

  bool chance(double share) { return std::bernoulli_distribution(share)(engine_); }

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_); }

  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

/// n samples of `draw()`.
template <typename Draw>
std::vector<double> samples(std::size_t n, Draw&& draw) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < n; ++i) drawn.push_back(draw());
  return drawn;
}

/// Each of a turn of its own.
inline Samples independent(std::vector<double> us) {
  std::vector<std::size_t> turns(us.size(), 1);
  return {.us = std::move(us), .turns = std::move(turns)};
}

/// Samples in turns that have a deviation in common, and each one of its own, around 100.
struct Turns {
  std::size_t count{};
  std::size_t size{};
  double common{};
  double own{};

  Samples draw(Noise& noise) const {
    Samples drawn;
    for (std::size_t turn = 0; turn < count; ++turn) {
      const double middle = noise.normal(100, common);
      for (std::size_t i = 0; i < size; ++i) drawn.us.push_back(noise.normal(middle, own));
      drawn.turns.push_back(size);
    }
    return drawn;
  }
};

}  // namespace gemmtune::invented
