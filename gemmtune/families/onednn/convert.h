// Conversions for oneDNN's matmul, which knows fewer formats than gemmtune: of operands before it, and of the product
// after it. They are part of a launch and timed with it, so they must be fast. gemm/numeric.h defines what the bits
// mean.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::onednn {

struct StoredOperand {
  Side side{};
  StoredMatrix matrix{};
  Major major{Major::k};

  std::int64_t rows() const { return major == Major::k ? matrix.rows : matrix.cols; }  // M or N
  std::int64_t k() const { return major == Major::k ? matrix.cols : matrix.rows; }
};

/// Whether scales are multiplied into the values, or left for the product.
enum class ScaleUse : std::uint8_t { multiply, leave };

struct Conversion {
  StoredOperand from{};
  DType to{};  // f32 or bf16
  ScaleUse scales{ScaleUse::multiply};
  int threads{1};
};

/// `out` gets the rows of `from` without gaps.
void convert_operand(const Conversion& conversion, const std::byte* values, const std::byte* scales, std::byte* out);

struct Finish {
  Problem problem{};
  DType product{};                   // f32 or i32
  ScaleUse scales{ScaleUse::leave};  // multiply: tensor and row scales of both sides are applied here
  int threads{1};
};

/// Computes C from the product [batch, M, N] without gaps: scales it, adds bias and residual, applies the activation,
/// and rounds to the output's type.
void finish_product(const Finish& finish, const std::byte* product, const Operands& operands);

}  // namespace gemmtune::onednn
