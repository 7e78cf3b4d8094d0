// AITER's shuffled layouts of scales and weights, and their inverses, so that its tensors and ours can be exchanged.
// Source: e8m0_shuffle and shuffle_weight of AITER (layouts for gfx942 and gfx950).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gemmtune/gemm/shuffle_index.h"  // IWYU pragma: export

namespace gemmtune {

/// Shuffles E8M0 scales [rows, cols] (cols = K/32): pads them with 0 to multiples of 256 rows and 8 columns and
/// permutes them by 32×8 tiles.
std::vector<std::byte> shuffle_scales(std::span<const std::byte> scales, std::int64_t rows, std::int64_t cols);
std::vector<std::byte> unshuffle_scales(std::span<const std::byte> shuffled, std::int64_t rows, std::int64_t cols);

/// Shuffles weights, given as bytes [n, row_bytes], to layout (16,16). Throws Error{unsupported} unless n % 16 == 0 and
/// row_bytes % 32 == 0.
std::vector<std::byte> shuffle_weights(std::span<const std::byte> weights, std::int64_t n, std::int64_t row_bytes);
std::vector<std::byte> unshuffle_weights(std::span<const std::byte> shuffled, std::int64_t n, std::int64_t row_bytes);

}  // namespace gemmtune
