// Recordings of devices that never were.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gemmtune/replay/recording.h"
#include "tests/search/tile_space.h"

namespace gemmtune {

inline std::vector<double> noisy(double middle, std::size_t count, std::mt19937_64& engine) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(middle * std::normal_distribution<double>(1, 0.004)(engine));
  return samples;
}

/// All tiled kernels, confirmed a tenth slower than screened, with 1 % between the two of each.
inline RecordedShape recorded_tiles(std::uint64_t seed = 1, DeviceKind kind = DeviceKind::cuda) {
  std::mt19937_64 engine(seed);
  RecordedShape shape{.kind = kind, .device = "Invented GPU (sm00)", .problem = parse_problem("4096x4096x4096:a16w16")};
  for (auto& candidate : tile_candidates()) {
    const double time_us = tile_time_us(candidate);
    const double drift = 1.1 * std::normal_distribution<double>(1, 0.01)(engine);
    shape.candidates.push_back({.candidate = std::move(candidate),
                                .memory_bytes = 1024,
                                .overhead_us = 2000,
                                .screen_us = noisy(time_us, 3, engine),
                                .confirm = {.us = noisy(time_us * drift, 24, engine)}});
  }
  return shape;
}

inline RecordedCandidate recorded_toy(const std::string& name, double screen_us, std::vector<double> confirm_us) {
  return {
      .candidate = {.family = "toy", .name = name}, .screen_us = {screen_us}, .confirm = {.us = std::move(confirm_us)}};
}

}  // namespace gemmtune
