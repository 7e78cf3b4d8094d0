#include "gemmtune/report/roof.h"

#include <algorithm>

namespace gemmtune {

double intensity(const ShapeId& shape) {
  return shape.types_known ? flops(shape.problem) / moved_bytes(shape.problem) : 0;
}

std::optional<double> share_of_roof(const Roof& roof, const ShapeId& shape, double tflops) {
  const double allowed = std::min(roof.peak_tflops, intensity(shape) * roof.peak_gbps / 1e3);
  if (!roof.is_complete() || allowed <= 0) return std::nullopt;
  return tflops / allowed;
}

}  // namespace gemmtune
