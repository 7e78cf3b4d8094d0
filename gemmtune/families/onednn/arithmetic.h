// The ways in which a problem can be put to oneDNN's matmul: as it is where the library knows its types, or with
// operands converted to types that hold them exactly (or, for f32, as nearly as the reference itself does).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::onednn {

struct Arithmetic {
  std::string_view tag{};    // in names: "f32", "bf16", "int8", "deqbf16", "deqf32"
  DType operand{};           // what the library multiplies
  DType product{};           // what the library writes
  bool converts_a{};         // activations are stored otherwise, and converted in each launch
  bool converts_w{};         // weights are, and converted ahead when packed, else in each launch
  bool scales_in_product{};  // tensor and row scales multiply the product, not the operands

  /// Whether scales or the output's type, and with them the epilogue, are left to a pass over the product.
  bool finishes(const Problem& problem) const { return scales_in_product || product != problem.out; }
};

/// The arithmetics that give the right product for this problem on this device, the direct one first; whether the
/// library can do each is for it to say.
std::vector<Arithmetic> arithmetics_for(const Problem& problem, const DeviceInfo& device);

/// Why int8 operands cannot be multiplied as they are, or "".
std::string why_not_int8(const DeviceInfo& device);

}  // namespace gemmtune::onednn
