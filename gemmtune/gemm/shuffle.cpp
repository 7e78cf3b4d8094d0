#include "gemmtune/gemm/shuffle.h"

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr std::int64_t row_multiple = 256;
constexpr std::int64_t col_multiple = 8;

void check_size(std::span<const std::byte> bytes, std::int64_t rows, std::int64_t cols) {
  if (static_cast<std::int64_t>(bytes.size()) != rows * cols)
    fail(ErrorCode::usage, "{} bytes are not {} x {}", bytes.size(), rows, cols);
}

void check_weights(std::span<const std::byte> weights, std::int64_t n, std::int64_t row_bytes) {
  if (n % 16 != 0 || row_bytes % 32 != 0)
    fail(ErrorCode::unsupported, "shuffled weights need N % 16 = 0 and rows of a multiple of 32 bytes, not {} x {}", n,
         row_bytes);
  check_size(weights, n, row_bytes);
}

}  // namespace

std::vector<std::byte> shuffle_scales(std::span<const std::byte> scales, std::int64_t rows, std::int64_t cols) {
  check_size(scales, rows, cols);
  const std::int64_t padded_cols = round_up(cols, col_multiple);
  std::vector<std::byte> shuffled(round_up(rows, row_multiple) * padded_cols);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      shuffled[shuffled_scale_index(row, col, padded_cols)] = scales[row * cols + col];
  return shuffled;
}

std::vector<std::byte> unshuffle_scales(std::span<const std::byte> shuffled, std::int64_t rows, std::int64_t cols) {
  const std::int64_t padded_cols = round_up(cols, col_multiple);
  check_size(shuffled, round_up(rows, row_multiple), padded_cols);
  std::vector<std::byte> scales(rows * cols);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      scales[row * cols + col] = shuffled[shuffled_scale_index(row, col, padded_cols)];
  return scales;
}

std::vector<std::byte> shuffle_weights(std::span<const std::byte> weights, std::int64_t n, std::int64_t row_bytes) {
  check_weights(weights, n, row_bytes);
  std::vector<std::byte> shuffled(weights.size());
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t k = 0; k < row_bytes; ++k)
      shuffled[shuffled_weight_index(row, k, row_bytes)] = weights[row * row_bytes + k];
  return shuffled;
}

std::vector<std::byte> unshuffle_weights(std::span<const std::byte> shuffled, std::int64_t n, std::int64_t row_bytes) {
  check_weights(shuffled, n, row_bytes);
  std::vector<std::byte> weights(shuffled.size());
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t k = 0; k < row_bytes; ++k)
      weights[row * row_bytes + k] = shuffled[shuffled_weight_index(row, k, row_bytes)];
  return weights;
}

}  // namespace gemmtune
