#include "gemmtune/bench/contender.h"

#include <algorithm>

namespace gemmtune {

const MeasuredContender* ShapeBench::find(const std::string& label) const {
  const auto at = std::ranges::find_if(contenders, [&](const auto& c) { return c.contender.label == label; });
  return at == contenders.end() ? nullptr : &*at;
}

bool ShapeBench::is_winner(const MeasuredContender& contender) const {
  return std::ranges::any_of(winners, [&](std::size_t i) { return &contenders[i] == &contender; });
}

bool has_served(const Benchmark& benchmark) {
  return std::ranges::any_of(benchmark.shapes, [](const ShapeBench& shape) {
    return std::ranges::any_of(shape.contenders, [](const auto& c) { return c.contender.served.has_value(); });
  });
}

std::vector<std::string> labels_of(const Benchmark& benchmark) {
  std::vector<std::string> labels;
  for (const auto& shape : benchmark.shapes)
    for (const auto& measured : shape.contenders)
      if (std::ranges::find(labels, measured.contender.label) == labels.end())
        labels.push_back(measured.contender.label);
  return labels;
}

std::optional<double> roofline_share(const Benchmark& benchmark, const Problem& problem, double time_us) {
  if (!benchmark.roofline || time_us <= 0) return std::nullopt;
  const auto attainable = attainable_tflops(*benchmark.roofline, problem);
  if (!attainable) return std::nullopt;
  return tflops(problem, time_us) / *attainable;
}

}  // namespace gemmtune
