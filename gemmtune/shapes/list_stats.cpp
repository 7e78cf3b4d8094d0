#include "gemmtune/shapes/list_stats.h"

#include <algorithm>

#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

std::string format_name(const Problem& problem) {
  const auto format = format_of(problem);
  return format ? std::string(to_string(*format)) : "other";
}

void add(LayerStats& layer, const Shape& shape) {
  const auto m = shape.problem.m;
  if (layer.shapes == 0) layer.m_low = layer.m_high = m;
  if (layer.layer.empty()) layer.layer = shape.layer;
  ++layer.shapes;
  layer.m_low = std::min(layer.m_low, m);
  layer.m_high = std::max(layer.m_high, m);
  layer.weight += shape.weight;
  layer.flops += flops(shape.problem) * shape.weight;
}

}  // namespace

ListStats stats_of(const ShapeList& list, const RatesOf& rates_of) {
  ListStats stats{.shapes = list.shapes.size(), .rejected = list.rejected.size()};
  std::map<Problem, LayerStats> layers;
  for (const auto& shape : list.shapes) {
    stats.weight += shape.weight;
    stats.flops += flops(shape.problem) * shape.weight;
    stats.bytes += moved_bytes(shape.problem) * shape.weight;
    const auto rates = rates_of(shape.problem);
    stats.least_us += least_time_us(shape.problem, rates) * shape.weight;
    stats.tuning_seconds += rough_tuning_seconds(shape.problem, rates);
    ++stats.formats[format_name(shape.problem)];
    auto key = shape.problem;
    key.m = 0;
    add(layers.try_emplace(key, LayerStats{.problem = key}).first->second, shape);
  }
  for (auto& [_, layer] : layers) stats.layers.push_back(std::move(layer));
  std::ranges::stable_sort(stats.layers, std::greater{}, &LayerStats::flops);
  return stats;
}

}  // namespace gemmtune
