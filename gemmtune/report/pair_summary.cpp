#include "gemmtune/report/pair_summary.h"

#include <cmath>

namespace gemmtune {
namespace {

void count(PairSummary& pair, const Measurement& first, const Measurement& second) {
  if (is_tie(first, second)) {
    ++pair.tied;
  } else {
    ++(first.time_us < second.time_us ? pair.faster : pair.slower);
  }
}

void widen(PairSummary& pair, const ComparedShape& shape, double speedup) {
  if (pair.min_at == nullptr || speedup < pair.min) {
    pair.min = speedup;
    pair.min_at = &shape;
  }
  if (pair.max_at == nullptr || speedup > pair.max) {
    pair.max = speedup;
    pair.max_at = &shape;
  }
}

}  // namespace

std::optional<PairSummary> pair_summary(const Comparison& comparison, const std::string& first,
                                        const std::string& second) {
  PairSummary pair{.first = first, .second = second};
  double sum = 0;
  double sum_of_logarithms = 0;
  for (const auto& shape : comparison.shapes) {
    const auto a = shape.best.find(first);
    const auto b = shape.best.find(second);
    if (a == shape.best.end() || b == shape.best.end() || a->second.apart || b->second.apart) continue;
    const double speedup = b->second.measurement.time_us / a->second.measurement.time_us;
    ++pair.shapes;
    sum += speedup;
    sum_of_logarithms += std::log(speedup);
    count(pair, a->second.measurement, b->second.measurement);
    widen(pair, shape, speedup);
  }
  if (pair.shapes == 0) return std::nullopt;
  pair.mean = sum / static_cast<double>(pair.shapes);
  pair.geometric_mean = std::exp(sum_of_logarithms / static_cast<double>(pair.shapes));
  return pair;
}

std::vector<PairSummary> pair_summaries(const Comparison& comparison) {
  std::vector<PairSummary> pairs;
  const auto& backends = comparison.backends;
  for (std::size_t i = 0; i < backends.size(); ++i)
    for (std::size_t j = i + 1; j < backends.size(); ++j)
      if (auto pair = pair_summary(comparison, backends[i], backends[j])) pairs.push_back(*std::move(pair));
  return pairs;
}

}  // namespace gemmtune
