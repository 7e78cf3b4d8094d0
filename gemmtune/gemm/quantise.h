// Between real values and stored operands: quantisers and dequantisers for each scaling, on the host.
// Kernels that quantise on the way must agree with these bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// One operand's stored bytes and scales (scale bytes are f32 or E8M0 by the grid).
struct Quantised {
  std::vector<std::byte> values{};
  std::vector<std::byte> scales{};
};

/// Quantises `rows` × `k` row-major values. Scales: largest magnitude of the group over the type's largest value (127
/// for int8, 448 for e4m3, 240 for e4m3fnuz), 1 for a group of zeros; E8M0 by `mode` for mx_1x32. Values are divided by
/// their scale and rounded to nearest even. A NaN makes its group's scale NaN. Source: AITER's pertoken_quant,
/// per_1x128 and per_1x32.
Quantised quantise(std::span<const float> values, std::int64_t rows, std::int64_t k, Side side,
                   E8M0Mode mode = E8M0Mode::even);

/// Values made when they are needed, for operands too large to hold as floats: the rows [first_row, first_row + rows),
/// either written to `scratch` (rows · k floats) or found elsewhere. Called from many threads, and more than once for a
/// row.
using RowSource =
    std::function<std::span<const float>(std::int64_t first_row, std::int64_t rows, std::span<float> scratch)>;

/// The same as quantise, of rows that `source` makes.
Quantised quantise_rows(const RowSource& source, std::int64_t rows, std::int64_t k, Side side,
                        E8M0Mode mode = E8M0Mode::even);

/// The real values: stored × scale, exact in float for every format here but products of f32 scales (rounded once).
std::vector<float> dequantise(const Quantised& operand, std::int64_t rows, std::int64_t k, Side side);

/// The same for rows [first_row, first_row + rows) out of a whole operand's bytes: for references that sample.
void dequantise_rows(const std::byte* values, const std::byte* scales, std::int64_t total_rows, std::int64_t k,
                     Side side, std::int64_t first_row, std::int64_t rows, std::span<float> out);

}  // namespace gemmtune
