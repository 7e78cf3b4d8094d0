#include "gemmtune/shapes/tuning_cost.h"

#include <algorithm>

namespace gemmtune {
namespace {

constexpr double launch_us = 2;

constexpr double candidates = 100;
constexpr double prepare_seconds = 0.02;
constexpr double runs = 100;

}  // namespace

double least_time_us(const Problem& problem, const DeviceRates& rates) {
  return std::max(flops(problem) / (rates.tflops * 1e6), moved_bytes(problem) / (rates.gbps * 1e3));
}

double rough_time_us(const Problem& problem, const DeviceRates& rates) {
  return launch_us + least_time_us(problem, rates);
}

double rough_tuning_seconds(const Problem& problem, const DeviceRates& rates) {
  return candidates * (prepare_seconds + runs * rough_time_us(problem, rates) / 1e6);
}

}  // namespace gemmtune
