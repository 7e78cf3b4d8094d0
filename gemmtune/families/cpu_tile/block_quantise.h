// What a block of a row that is quantised to int8 has beside its codes: its scale, and corrections for weights that are
// multiplied as unsigned bytes. In an anonymous namespace, because each source is compiled for its own instructions.
#pragma once

#include <cstring>
#include <limits>

#include "gemmtune/families/cpu_tile/block_templates.h"

namespace gemmtune::cpu_tile {
namespace {

/// The rule of gemm/q8.h, for the bits of the block's largest magnitude.
inline float scale_of(std::uint32_t amax_bits) {
  if (amax_bits >= 0x7f800000U) return std::numeric_limits<float>::quiet_NaN();
  float amax;
  std::memcpy(&amax, &amax_bits, 4);
  const float scale = amax / 127.0F;
  return scale == 0.0F ? 1.0F : scale;
}

/// Writes it behind the codes of the block's rows.
inline void write_scale(const BlockRowJob& job, std::byte* block, float scale, ScaleExtent& extent) {
  std::memcpy(block + job.height * 32 + job.inside * 4, &scale, 4);
  std::uint32_t bits;
  std::memcpy(&bits, &scale, 4);
  if (bits < extent.least) extent.least = bits;
  if (bits > extent.most) extent.most = bits;
}

/// What the weights' offset adds to the sums, negated. `first` and `second` are the sums of the codes of each half.
inline void write_corrections(const BlockRowJob& job, std::byte* block, std::int32_t first, std::int32_t second) {
  auto* corrections = reinterpret_cast<std::int32_t*>(block + job.height * 36) + job.inside;
  const auto offset = static_cast<std::int32_t>(-job.offset);
  corrections[0] = offset * (job.groups == 2 ? first : first + second);
  if (job.groups == 2) corrections[job.height] = offset * second;
}

}  // namespace
}  // namespace gemmtune::cpu_tile
