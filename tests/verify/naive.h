// The plainest GEMM there is, for tests: dequantise everything, three loops.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/gemm/activation.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune::naive {

struct Real {
  std::vector<float> a{};         // [batch, M, K]
  std::vector<float> w{};         // [batch, N, K]
  std::vector<float> bias{};      // [N], zeros where there is none
  std::vector<float> residual{};  // [batch, M, N], zeros where there is none
};

inline std::vector<float> real_side(Side side, std::int64_t batch, std::int64_t rows, std::int64_t k,
                                    const Quantised& stored) {
  std::vector<float> all;
  const auto values = static_cast<std::int64_t>(stored.values.size()) / batch;
  const auto scales = static_cast<std::int64_t>(stored.scales.size()) / batch;
  for (std::int64_t b = 0; b < batch; ++b) {
    const Quantised one{{stored.values.begin() + b * values, stored.values.begin() + (b + 1) * values},
                        {stored.scales.begin() + b * scales, stored.scales.begin() + (b + 1) * scales}};
    const auto real = dequantise(one, rows, k, side);
    all.insert(all.end(), real.begin(), real.end());
  }
  return all;
}

inline Real real_operands(const Problem& p, const HostOperands& operands) {
  Real real{real_side(p.a, p.batch, p.m, p.k, {operands.a, operands.a_scale}),
            real_side(p.w, p.batch, p.n, p.k, {operands.w, operands.w_scale}), std::vector<float>(p.n, 0.0F)};
  real.residual.resize(p.batch * p.m * p.n);
  if (p.epilogue.residual)
    real.residual = dequantise({operands.residual, {}}, p.batch * p.m, p.n, {p.out, Scaling::none});
  if (p.epilogue.bias) real.bias = dequantise({operands.bias, {}}, 1, p.n, {p.out, Scaling::none});
  return real;
}

/// C as [batch, M, N], each element summed one product after the other in Sum's precision.
template <typename Sum>
std::vector<Sum> multiply(const Problem& p, const Real& real, std::int64_t k_used) {
  std::vector<Sum> c(p.batch * p.m * p.n);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(c.size()); ++i) {
    const std::int64_t row = i / p.n;
    const std::int64_t column = row / p.m * p.n + i % p.n;
    Sum sum{};
    for (std::int64_t k = 0; k < k_used; ++k)
      sum += static_cast<Sum>(real.a[row * p.k + k]) * static_cast<Sum>(real.w[column * p.k + k]);
    c[i] = activate(p.epilogue.activation,
                    sum + static_cast<Sum>(real.bias[i % p.n]) + static_cast<Sum>(real.residual[i]));
  }
  return c;
}

/// Rounds to the output's type.
inline std::vector<std::byte> rounded(const Problem& p, const std::vector<float>& c) {
  return quantise(c, 1, static_cast<std::int64_t>(c.size()), {p.out, Scaling::none}).values;
}

}  // namespace gemmtune::naive
