#include "gemmtune/tune/shape_order.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {

// How far the default choice of a shape falls short is not known yet: the same share is assumed for all shapes.
std::vector<std::size_t> by_saving(std::span<const Shape> shapes) {
  const auto saving = [&](std::size_t i) {
    const auto& problem = shapes[i].problem;
    return shapes[i].weight * rough_time_us(problem) / rough_tuning_seconds(problem);
  };
  auto order = as_listed(shapes.size());
  std::ranges::stable_sort(order, std::greater<>(), saving);
  return order;
}

std::vector<std::size_t> as_listed(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace gemmtune
