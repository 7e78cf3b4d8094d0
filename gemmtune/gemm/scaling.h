// How many scale factors an operand has, and which elements each of them applies to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

/// A real value is the stored value × its scale. An operand is `rows` × K: its rows are tokens (M) for A and channels
/// (N) for the weights.
enum class Scaling : std::uint8_t {
  none,
  tensor,         // one f32
  row,            // one f32 a row: per token for A, per channel for weights
  block_1x128,    // one f32 for each 128 of K in each row (activations of "blockscale")
  block_128x128,  // one f32 for each 128 rows × 128 of K (weights of "blockscale")
  mx_1x32,        // one E8M0 byte for each 32 of K in each row (OCP MX)
};

inline constexpr Scaling last_scaling = Scaling::mx_1x32;

/// The name in canonical text: "none", "tensor", "row", "1x128", "128x128", "1x32".
std::string_view to_string(Scaling scaling);
std::optional<Scaling> parse_scaling(std::string_view text);

/// The grid of an operand's scales, row-major. Partial blocks at the edges have scales of their own.
struct ScaleGrid {
  std::int64_t rows{};  // 0 if there are no scales
  std::int64_t cols{};
  std::int64_t row_block{1};  // rows of the operand that share a scale
  std::int64_t k_block{1};    // elements along K that share a scale
  DType type{DType::f32};

  std::int64_t count() const { return rows * cols; }
  bool operator==(const ScaleGrid&) const = default;
};

/// The shapes are those of AITER's per_token, per_1x128, per_128x128 and per_1x32 quantisation.
ScaleGrid scale_grid(Scaling scaling, std::int64_t rows, std::int64_t k);

}  // namespace gemmtune
