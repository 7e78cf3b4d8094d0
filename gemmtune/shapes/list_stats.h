// What is in a shape list, counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {

/// All shapes that differ only in M.
struct LayerStats {
  Problem problem{};    // with M = 0
  std::string layer{};  // the name of the first shape that has one
  std::size_t shapes{};
  std::int64_t m_low{};
  std::int64_t m_high{};
  double weight{};
  double flops{};  // operations of all its calls
};

struct ListStats {
  std::size_t shapes{};
  std::size_t rejected{};
  double weight{};
  double flops{};           // operations of all calls
  double bytes{};           // moved by all calls
  double least_us{};        // that all calls take, at these rates
  double tuning_seconds{};  // estimated time
  std::map<std::string, std::size_t> formats{};
  std::vector<LayerStats> layers{};  // the layer with the most operations comes first
};

/// The rates at which a device runs a problem.
using RatesOf = std::function<DeviceRates(const Problem&)>;

ListStats stats_of(const ShapeList& list, const RatesOf& rates_of);

}  // namespace gemmtune
