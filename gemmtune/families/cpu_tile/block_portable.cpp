// For every CPU: plain loops over the columns of a panel, which any compiler can vectorise.
#include <algorithm>
#include <cstring>

#include "gemmtune/families/cpu_tile/block_templates.h"
#include "gemmtune/families/cpu_tile/exact_round.h"
#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/gemm/q8.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int8_t doubled_e2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// One float for each column of a panel.
struct Lanes {
  float of[block_columns];
};

struct PortableSums {
  using Float = Lanes;
  static constexpr int width = block_columns;
  static constexpr std::int64_t tallest = 4;

  static Float zero() { return {}; }

  static Float load(const float* from) {
    Float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }

  static void store(float* to, const Float& value) { std::memcpy(to, &value, sizeof value); }
};

/// The scale of one column, for values in units of a half if they are E2M1.
template <BlockWeights W>
float unit_scale(const std::byte* scales, int group, std::int64_t c) {
  if constexpr (W == BlockWeights::mxfp4) return 0.5F * e8m0_to_float(std::to_integer<std::uint8_t>(scales[c]));
  if constexpr (W == BlockWeights::nvfp4) {
    return 0.5F * e4m3_to_float(std::to_integer<std::uint8_t>(scales[16 * group + c]));
  }
  std::uint16_t bits{};
  std::memcpy(&bits, scales + 2 * c, 2);
  return f16_to_float(bits);
}

/// The integers of a block, as [k][column].
struct Integers {
  std::int16_t at[block_length][block_columns];
};

template <BlockWeights W>
Integers decode(const std::byte* values) {
  Integers integers;
  for (std::int64_t k = 0; k < block_length; ++k) {
    for (std::int64_t c = 0; c < block_columns; ++c) {
      if constexpr (has_nibbles(W)) {
        const int pair = std::to_integer<int>(values[k / 8 * 64 + 4 * c + k % 4]);
        const int code = k % 8 < 4 ? pair & 15 : pair >> 4;
        integers.at[k][c] = static_cast<std::int16_t>(W == BlockWeights::q4_0 ? (code ^ 8) - 8 : doubled_e2m1[code]);
      } else {
        integers.at[k][c] = static_cast<std::int8_t>(values[k / 4 * 64 + 4 * c + k % 4]);
      }
    }
  }
  return integers;
}

/// Adds the products of each group of a block. `a` is a row's 32 elements, of the type that is summed up.
template <BlockWeights W, typename Element>
void add_row(const Integers& w, const std::byte* scales, const Element* a, Lanes& sums, float row_scale) {
  constexpr std::int64_t length = block_length / groups_of(W);
  for (int group = 0; group < groups_of(W); ++group) {
    Element dots[block_columns] = {};
    for (std::int64_t k = group * length; k < (group + 1) * length; ++k) {
      for (std::int64_t c = 0; c < block_columns; ++c) dots[c] += a[k] * static_cast<Element>(w.at[k][c]);
    }
    for (std::int64_t c = 0; c < block_columns; ++c) {
      sums.of[c] += static_cast<float>(dots[c]) * (row_scale * unit_scale<W>(scales, group, c));
    }
  }
}

struct PortableInt8 : PortableSums {
  static constexpr BlockRows form = BlockRows::int8;

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    const Integers w = decode<W>(at.values);
    for (int r = 0; r < Rows; ++r) {
      std::int32_t a[block_length];
      for (std::int64_t k = 0; k < block_length; ++k) a[k] = static_cast<std::int8_t>(at.a[r * block_length + k]);
      add_row<W>(w, at.scales, a, sums[r], scales_of(at)[r]);
    }
  }
};

struct PortableFloats : PortableSums {
  static constexpr BlockRows form = BlockRows::f32;

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    const Integers w = decode<W>(at.values);
    const auto* rows = reinterpret_cast<const float*>(at.a);
    for (int r = 0; r < Rows; ++r) add_row<W>(w, at.scales, rows + r * block_length, sums[r], 1.0F);
  }
};

float element(const BlockRowJob& job, std::int64_t k) {
  constexpr auto type_of = [](Source source) {
    return source == Source::f32 ? DType::f32 : source == Source::bf16 ? DType::bf16 : DType::f16;
  };
  return load_as_float(job.row, type_of(job.source), k);
}

void write_quantised(const BlockRowJob& job, std::int64_t b, ScaleExtent& extent) {
  float values[block_length] = {};
  const std::int64_t count = std::min(block_length, job.k - b * block_length);
  for (std::int64_t i = 0; i < count; ++i) values[i] = element(job, b * block_length + i);
  const Q8Block quantised = q8_block({values, static_cast<std::size_t>(count)});
  std::byte* block = job.panel + b * job.block_bytes;
  std::memcpy(block + job.inside * block_length, quantised.codes.data(), block_length);
  std::memcpy(block + job.height * 32 + job.inside * 4, &quantised.scale, 4);
  const auto bits = std::bit_cast<std::uint32_t>(quantised.scale);
  extent = {.least = std::min(extent.least, bits), .most = std::max(extent.most, bits)};
}

ScaleExtent pack_int8_row(const BlockRowJob& job) {
  ScaleExtent extent;
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) write_quantised(job, b, extent);
  return extent;
}

ScaleExtent pack_float_row(const BlockRowJob& job) {
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) {
    auto* to = reinterpret_cast<float*>(job.panel + b * job.block_bytes) + job.inside * block_length;
    for (std::int64_t i = 0; i < block_length; ++i) {
      const std::int64_t k = b * block_length + i;
      to[i] = k < job.k ? element(job, k) : 0.0F;
    }
  }
  return {};
}

}  // namespace

const BlockKernels& block_int8_portable() {
  static constexpr BlockKernels kernels = block_kernels<PortableInt8>(&pack_int8_row);
  return kernels;
}

const BlockKernels& block_f32_portable() {
  static constexpr BlockKernels kernels = block_kernels<PortableFloats>(&pack_float_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
