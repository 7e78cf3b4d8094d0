// Converts between real values and stored operands on the host: a quantiser and a dequantiser for each scaling. Kernels
// that quantise their inputs themselves must agree with these bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The stored bytes and scales of one operand. The grid of scales tells whether the scale bytes are f32 or E8M0.
struct Quantised {
  std::vector<std::byte> values{};
  std::vector<std::byte> scales{};
};

/// Quantises `rows` × `k` row-major values. A group's scale is its largest magnitude divided by the type's largest
/// value (127 for int8, 448 for e4m3, 240 for e4m3fnuz), or 1 for a group of zeros; E8M0 scales are by `mode` for
/// e2m1, and for e4m3 e8m0_for_e4m3(), whose elements saturate, or of blocks of 128 e8m0_above_e4m3().
/// Values are divided by their scale and rounded to nearest even. A NaN makes its group's scale NaN. Source: AITER's
/// pertoken_quant, per_1x128 and per_1x32. Beyond these:
/// - nv_1x16: the tensor's scale t is its largest magnitude / (448 · 6), or 1 if that is 0. A block's scale is its
///   largest magnitude / 6 / t as E4M3; values are divided by that · t.
/// - f16_1x32: the scale is rounded to f16. For int4 it is the block's first value of the largest magnitude, with its
///   sign, / -8, as GGUF's Q4_0 has it: that value becomes -8.
/// - Where a scale is too small for its type and becomes 0, all values of its group become 0.
/// - q8_in_call, fp8_1x128 and fp8_row: values are stored as they are, in the side's type.
Quantised quantise(std::span<const float> values, std::int64_t rows, std::int64_t k, Side side,
                   E8M0Mode mode = E8M0Mode::even);

/// Produces values when they are needed, for operands that are too large to hold as floats. It returns the rows
/// [first_row, first_row + rows), either written to `scratch` (rows · k floats) or found elsewhere. It is called from
/// many threads, and more than once for a row.
using RowSource =
    std::function<std::span<const float>(std::int64_t first_row, std::int64_t rows, std::span<float> scratch)>;

/// The same as quantise() for rows that `source` produces.
Quantised quantise_rows(const RowSource& source, std::int64_t rows, std::int64_t k, Side side,
                        E8M0Mode mode = E8M0Mode::even);

/// The real values: stored value × scale. They are exact in float, except that products with f32 scales are rounded
/// once, and those of nv_1x16 twice: first E4M3 scale · f32 scale. For q8_in_call, fp8_1x128 and fp8_row they are
/// what the call makes of the stored values: code × scale of gemm/q8.h and gemm/fp8_in_call.h.
std::vector<float> dequantise(const Quantised& operand, std::int64_t rows, std::int64_t k, Side side);

/// The same for the rows [first_row, first_row + rows) of a whole operand, for references that sample.
void dequantise_rows(const std::byte* values, const std::byte* scales, std::int64_t total_rows, std::int64_t k,
                     Side side, std::int64_t first_row, std::int64_t rows, std::span<float> out);

/// Some rows of a whole operand, with their scales, as an operand of its own. Throws Error{unsupported} where rows
/// share scales that are not the whole tensor's (128x128, 32x32).
Quantised rows_of(const Quantised& whole, std::int64_t rows, std::int64_t k, Side side,
                  std::span<const std::int64_t> chosen);

}  // namespace gemmtune
