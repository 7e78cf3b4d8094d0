#include "gemmtune/shapes/tuning_cost.h"

#include <algorithm>

namespace gemmtune {
namespace {

constexpr double flops_per_us = 100e6;
constexpr double bytes_per_us = 1e6;
constexpr double launch_us = 2;

constexpr double candidates = 100;
constexpr double prepare_seconds = 0.02;
constexpr double runs = 100;

}  // namespace

double rough_time_us(const Problem& problem) {
  return launch_us + std::max(flops(problem) / flops_per_us, moved_bytes(problem) / bytes_per_us);
}

double rough_tuning_seconds(const Problem& problem) {
  return candidates * (prepare_seconds + runs * rough_time_us(problem) / 1e6);
}

}  // namespace gemmtune
