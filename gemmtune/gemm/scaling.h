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
  nv_1x16,        // one E4M3 byte for each 16 of K in each row, and one f32 for the whole tensor (NVFP4)
  f16_1x32,       // one f16 for each 32 of K in each row (GGUF's Q4_0 and Q8_0)
  q8_in_call,     // none is stored: floats that the call quantises to int8 in blocks of 32 (gemm/q8.h); only for A
  mx_32x32,       // one E8M0 byte for each 32 rows × 32 of K (MXFP8 weights of which rows share scales)
  fp8_1x128,      // none is stored: floats that the call quantises to E4M3 as block_1x128 (gemm/fp8_in_call.h); for A
  fp8_row,        // likewise, as row: one scale for each token
  e8m0_1x128,     // one E8M0 byte for each 128 of K in each row (activations of "blockscale" with UE8M0 scales)
  e8m0_128x128,   // one E8M0 byte for each 128 rows × 128 of K (their weights)
};

inline constexpr Scaling last_scaling = Scaling::e8m0_128x128;

/// Whether rows next to each other share scales, which are not the whole tensor's.
constexpr bool shares_rows(Scaling scaling) noexcept {
  return scaling == Scaling::block_128x128 || scaling == Scaling::e8m0_128x128 || scaling == Scaling::mx_32x32;
}

/// Whether scales are powers of two, E8M0, any of which may be NaN.
constexpr bool has_e8m0_scales(Scaling scaling) noexcept {
  return scaling == Scaling::mx_1x32 || scaling == Scaling::mx_32x32 || scaling == Scaling::e8m0_1x128 ||
         scaling == Scaling::e8m0_128x128;
}

/// The same blocks with f32 scales, of E8M0 scales for blocks of 128; any other scaling as it is.
constexpr Scaling with_float_scales(Scaling scaling) noexcept {
  if (scaling == Scaling::e8m0_1x128) return Scaling::block_1x128;
  return scaling == Scaling::e8m0_128x128 ? Scaling::block_128x128 : scaling;
}

/// Whether the call quantises floats to E4M3.
constexpr bool is_fp8_in_call(Scaling scaling) noexcept {
  return scaling == Scaling::fp8_1x128 || scaling == Scaling::fp8_row;
}

/// Whether an operand has a tensor of scales.
constexpr bool has_scales(Scaling scaling) noexcept {
  return scaling != Scaling::none && scaling != Scaling::q8_in_call && !is_fp8_in_call(scaling);
}

/// Why elements of this type cannot have such scales, or "".
std::string_view why_no_pair(DType type, Scaling scaling);

/// The name in canonical text: "none", "tensor", "row", "1x128", "128x128", "1x32", "1x16", "1x32f16", "q8", "32x32",
/// "fp8_1x128", "fp8_row", "1x128e8m0", "128x128e8m0".
std::string_view to_string(Scaling scaling);
std::optional<Scaling> parse_scaling(std::string_view text);

/// The grid of an operand's scales, row-major. Partial blocks at the edges have scales of their own. The scale of the
/// whole tensor, if there is one beside the grid, is an f32 behind it, at the next multiple of four bytes.
struct ScaleGrid {
  std::int64_t rows{};  // 0 if there are no scales
  std::int64_t cols{};
  std::int64_t row_block{1};  // rows of the operand that share a scale
  std::int64_t k_block{1};    // elements along K that share a scale
  DType type{DType::f32};
  bool has_tensor_scale{};  // beside the grid

  std::int64_t count() const { return rows * cols; }

  /// Of the scales of one operand; the operands of a batch have theirs one after the other.
  std::int64_t bytes() const;

  /// Where the scale of the whole tensor is among those bytes.
  std::int64_t tensor_scale_offset() const;

  bool operator==(const ScaleGrid&) const = default;
};

/// The shapes are those of AITER's per_token, per_1x128, per_128x128 and per_1x32 quantisation, and those of NVFP4 and
/// of GGUF's blocks.
ScaleGrid scale_grid(Scaling scaling, std::int64_t rows, std::int64_t k);

}  // namespace gemmtune
