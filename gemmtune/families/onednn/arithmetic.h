// The ways in which oneDNN's matmul can compute a problem: directly, if the library knows its types, or with operands
// converted to a type that holds them exactly (or, for f32, as closely as the reference itself does).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::onednn {

struct Arithmetic {
  std::string_view tag{};    // in candidates' names: "f32", "bf16", "int8", "deqbf16", "deqf32"
  DType operand{};           // the type that the library multiplies
  DType product{};           // the type that the library writes
  bool converts_a{};         // whether activations are stored in another type and converted in each launch
  bool converts_w{};         // the same for weights, which are converted only once if the problem lets them be packed
  bool scales_in_product{};  // tensor and row scales multiply the product, not the operands

  /// Whether scales, or the output's type and with it the epilogue, are left to a pass over the product.
  bool finishes(const Problem& problem) const { return scales_in_product || product != problem.out; }
};

/// The arithmetics that give the right product for this problem on this device, the direct one first. The library may
/// still refuse any of them (prepared_matmul.h: why_not_matmul).
std::vector<Arithmetic> arithmetics_for(const Problem& problem, const DeviceInfo& device);

/// Why int8 operands cannot be multiplied as they are, or "".
std::string why_not_int8(const DeviceInfo& device);

}  // namespace gemmtune::onednn
