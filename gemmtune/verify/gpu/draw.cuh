// Draws an operand and quantises it. The result is bit for bit that of gemm/draw.cpp and gemm/quantise.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "gemmtune/gemm/draw_rules.h"
#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/gpu/stored.cuh"
#include "gemmtune/verify/gpu/team_largest.cuh"

using namespace gemmtune;

__device__ std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// The Stored that begins with this element. Its values are divided by the group's divisor, then encoded.
template <typename C>
__device__ typename C::Stored encode(const OperandDraw& draw, std::int64_t row, std::int64_t column, float divisor) {
  const auto first = C::encode(draw.element(row, column) / divisor);
  if constexpr (elements_in<C> == 1) {
    return first;
  } else {
    const auto second = C::encode(draw.element(row, column + 1) / divisor);
    return static_cast<typename C::Stored>(first | (second << 4));
  }
}

/// Returns what a group's values are divided by; `amax` is the bits of their largest magnitude. A thread that is
/// `storing` also stores the group's scale.
__device__ float scale_of(unsigned amax, const OperandShape& shape, unsigned char* scales, std::int64_t index,
                          bool storing) {
  if (shape.scales == ScaleKind::e8m0) {
    constexpr bool is_e4m3 = Codec::largest == E4M3Codec::largest;
    const auto largest = std::bit_cast<float>(amax);
    const bool is_coarse = shape.k_block == 128;
    const std::uint8_t byte = !is_e4m3    ? e8m0_from_amax(largest, E8M0Mode::even)
                              : is_coarse ? e8m0_above_e4m3(largest)
                                          : e8m0_for_e4m3(largest);
    if (storing) scales[index] = byte;
    return amax == 0 ? 1.0F : e8m0_to_float(byte);
  }
  const float quotient = std::bit_cast<float>(amax) / Codec::largest;
  const float scale = quotient == 0.0F ? 1.0F : quotient;
  if (storing) reinterpret_cast<float*>(scales)[index] = scale;
  return scale;
}

/// Draws operands with several scales per batch. One team of threads (a warp or the block) for each group of elements
/// that share a scale.
extern "C" __global__ void draw_groups(OperandDraw draw, OperandShape shape, StoredOperand to, int team) {
  const std::int64_t group = (blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x) / team;
  const std::int64_t group_row = group / shape.scale_cols;
  if (group_row >= shape.batch * shape.scale_rows) return;
  const std::int64_t first_row = group_row % shape.scale_rows * shape.row_block;
  const std::int64_t first_column = group % shape.scale_cols * shape.k_block;
  const int rows = static_cast<int>(smaller(shape.row_block, shape.rows - first_row));
  const int units = static_cast<int>(smaller(shape.k_block, shape.k - first_column)) / unit;
  const std::int64_t top = group_row / shape.scale_rows * shape.rows + first_row;
  const int lane = threadIdx.x % team;

  unsigned amax = 0;
  for (int i = lane; i < rows * units; i += team)
    for (int part = 0; part < unit; ++part)
      amax = max(amax, magnitude_bits(draw.element(top + i / units, first_column + i % units * unit + part)));
  const float divisor = scale_of(team_largest(amax, team), shape, to.scales, group, lane == 0);
  auto* values = reinterpret_cast<Stored*>(to.values);
  for (int i = lane; i < rows * units; i += team) {
    const std::int64_t row = top + i / units;
    const std::int64_t column = first_column + i % units * unit;
    values[(row * shape.k + column) / unit] = encode<Codec>(draw, row, column, divisor);
  }
}

/// For operands with one scale per batch: writes the bits of each batch's largest magnitude to `amax`, [batch], which
/// must hold zeros before.
extern "C" __global__ void find_largest(OperandDraw draw, OperandShape shape, unsigned* amax) {
  for (std::int64_t batch = blockIdx.y; batch < shape.batch; batch += gridDim.y) {
    unsigned largest = 0;
    for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < shape.rows * shape.k; i += gridDim.x * blockDim.x)
      largest = max(largest, magnitude_bits(draw.element(batch * shape.rows + i / shape.k, i % shape.k)));
    largest = warp_largest(largest);
    if (threadIdx.x % 32 == 0) atomicMax(amax + batch, largest);
  }
}

/// Draws operands without scales, and operands with one scale per batch, whose `amax` find_largest has found.
extern "C" __global__ void draw_elements(OperandDraw draw, OperandShape shape, StoredOperand to, const unsigned* amax) {
  auto* values = reinterpret_cast<Stored*>(to.values);
  const std::int64_t units = shape.rows * shape.k / unit;
  for (std::int64_t batch = blockIdx.y; batch < shape.batch; batch += gridDim.y) {
    const bool storing = blockIdx.x == 0 && threadIdx.x == 0;
    const float divisor =
        shape.scales == ScaleKind::none ? 1.0F : scale_of(amax[batch], shape, to.scales, batch, storing);
    for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < units; i += gridDim.x * blockDim.x) {
      const std::int64_t element = i * unit;
      values[batch * units + i] =
          encode<Codec>(draw, batch * shape.rows + element / shape.k, element % shape.k, divisor);
    }
  }
}

/// Overwrites `count` scale bytes, which the recipe chooses, with 255, the NaN of E8M0.
extern "C" __global__ void spoil_scales(OperandDraw draw, unsigned char* scales, std::int64_t count) {
  const std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) scales[draw.spoiled_scale(i)] = 255;
}

/// The elements [first, first + count) of those that nan_inf spoils; each type but e2m1 may have some.
extern "C" __global__ void spoil_elements(OperandDraw draw, StoredOperand to, std::int64_t first, std::int64_t count,
                                          float value) {
  const std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) reinterpret_cast<Stored*>(to.values)[draw.spoiled_element(first + i)] = Codec::encode(value);
}
