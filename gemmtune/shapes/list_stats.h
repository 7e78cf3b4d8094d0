// What is in a shape list, counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// All shapes that differ only in M.
struct LayerStats {
  Problem problem{};    // with M = 0
  std::string layer{};  // the first one's name, if it has one
  std::size_t shapes{};
  std::int64_t m_low{};
  std::int64_t m_high{};
  double weight{};
  double flops{};  // of all its calls
};

struct ListStats {
  std::size_t shapes{};
  std::size_t rejected{};
  double weight{};
  double flops{};           // of all calls
  double bytes{};           // moved by all calls
  double tuning_seconds{};  // estimated
  std::map<std::string, std::size_t> formats{};
  std::vector<LayerStats> layers{};  // most operations first
};

ListStats stats_of(const ShapeList& list);

}  // namespace gemmtune
