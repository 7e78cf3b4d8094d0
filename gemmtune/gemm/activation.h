// The activations that an epilogue may have, as arithmetic on one number. The run-time compilers of GPUs compile this
// text as well.
#pragma once

#include <cmath>
#include <cstdint>

namespace gemmtune {

enum class Activation : std::uint8_t {
  none,
  relu,       // max(x, 0)
  gelu_tanh,  // x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³))): PyTorch's approximate="tanh"
  gelu_erf,   // x/2 · (1 + erf(x/√2))
  silu,       // x / (1 + e^-x)
};

/// `Real` is double for references and float for our own kernels.
template <typename Real>
Real activate(Activation activation, Real x) {
  constexpr Real half = Real(0.5);
  switch (activation) {
    case Activation::relu:
      return x < 0 ? Real(0) : x;  // NaN stays NaN
    case Activation::gelu_tanh:
      return half * x * (1 + std::tanh(Real(0.79788456080286535588) * (x + Real(0.044715) * x * x * x)));
    case Activation::gelu_erf:
      return half * x * (1 + std::erf(x * Real(0.70710678118654752440)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

}  // namespace gemmtune
