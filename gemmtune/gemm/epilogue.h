// What is done to each element of the product before it is rounded to the output's type.
//
//   C = activation(A·Wᵀ + bias + residual)
//
// in the order of cublasLtMatmul (D = epilogue(A·B + C + bias)) and of oneDNN's post-ops (sum, then eltwise).
#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "gemmtune/gemm/activation.h"

namespace gemmtune {

inline constexpr Activation last_activation = Activation::silu;

/// The name in canonical text: "none", "relu", "gelu_tanh", "gelu_erf", "silu".
std::string_view to_string(Activation activation);
std::optional<Activation> parse_activation(std::string_view text);

struct Epilogue {
  bool bias{};  // [N] in the output's type
  Activation activation{Activation::none};
  bool residual{};  // [batch, M, N] in the output's type, stored like C, in memory of its own: beta = 1

  auto operator<=>(const Epilogue&) const = default;
};

}  // namespace gemmtune
