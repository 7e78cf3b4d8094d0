// The most that a device can reach for the types of a shape: the roofline in reports. It is measured by bench/peaks.h,
// and bench/roofline.h has it in full.
#pragma once

#include <functional>
#include <optional>

#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// The limits of a device; 0 if they are not known.
struct Roof {
  double peak_tflops{};
  double peak_gbps{};

  auto operator<=>(const Roof&) const = default;
  bool is_complete() const { return peak_tflops > 0 && peak_gbps > 0; }
};

/// What is known about a device and the types of a shape. An empty function knows nothing.
using RoofOf = std::function<Roof(const ShapeId&)>;

/// The number of operations for each byte that must move; 0 if the types are not known.
double intensity(const ShapeId& shape);

/// The rate as a share of what the roofline allows for the shape. Nothing if the roofline is not known.
std::optional<double> share_of_roof(const Roof& roof, const ShapeId& shape, double tflops);

}  // namespace gemmtune
