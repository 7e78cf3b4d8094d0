#include "gemmtune/gemm/quantise.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "gemmtune/core/parallel.h"
#include "gemmtune/gemm/codec.h"

namespace gemmtune {
namespace {

constexpr std::int64_t chunk_elements = 1 << 16;

/// Bits of the largest magnitude: integers compare as the magnitudes do, and NaN is above all.
std::uint32_t largest_magnitude(std::span<const float> values) {
  std::uint32_t largest = 0;
  for (const float value : values) largest = std::max(largest, magnitude_bits(value));
  return largest;
}

float largest_of(DType type) {
  return with_codec(type, [](auto codec) { return decltype(codec)::largest; });
}

/// How an operand's scales are arranged. Without scales, a whole row counts as one group.
struct Groups {
  Side side{};
  std::int64_t rows{};
  std::int64_t k{};
  ScaleGrid grid{};
  std::int64_t k_block{};
  std::int64_t cols{};

  Groups(Side operand, std::int64_t row_count, std::int64_t depth)
      : side(operand), rows(row_count), k(depth), grid(scale_grid(operand.scaling, row_count, depth)) {
    if (side.type == DType::e2m1 && k % 2 != 0) fail(ErrorCode::unsupported, "K = {} is odd: two e2m1 share a byte", k);
    if ((side.scaling == Scaling::mx_1x32) != (side.type == DType::e2m1))
      fail(ErrorCode::unsupported, "1x32 scales and e2m1 go together, not {} and {}", to_string(side.scaling),
           to_string(side.type));
    k_block = scaled() ? grid.k_block : std::max<std::int64_t>(k, 1);
    cols = scaled() ? grid.cols : 1;
  }

  bool scaled() const { return side.scaling != Scaling::none; }
  std::int64_t row_bytes() const { return storage_bytes(side.type, k); }
  std::int64_t length(std::int64_t col) const { return std::min(k_block, k - col * k_block); }

  /// The number of rows that are processed at once. They contain whole groups, unless one scale covers the whole
  /// tensor.
  std::int64_t chunk_rows() const {
    if (side.scaling == Scaling::block_128x128) return grid.row_block;
    return std::clamp<std::int64_t>(chunk_elements / std::max<std::int64_t>(k, 1), 1, std::max<std::int64_t>(rows, 1));
  }
};

/// Computes a group's scale from its largest magnitude, as the number by which its values are divided.
class ScaleRule {
 public:
  ScaleRule(const Groups& groups, E8M0Mode mode)
      : e8m0_(groups.grid.type == DType::e8m0), mode_(mode), largest_(largest_of(groups.side.type)) {}

  float store_scale(std::uint32_t amax_bits, std::byte* scales, std::int64_t index) const {
    const auto amax = std::bit_cast<float>(amax_bits);
    if (e8m0_) {
      const std::uint8_t byte = e8m0_from_amax(amax, mode_);
      store(scales, index, byte);
      return amax_bits == 0 ? 1.0F : e8m0_to_float(byte);
    }
    const float quotient = amax / largest_;
    const float scale = quotient == 0.0F ? 1.0F : quotient;
    store(scales, index, scale);
    return scale;
  }

 private:
  bool e8m0_{};
  E8M0Mode mode_{};
  float largest_{};
};

template <typename Codec>
void encode_group(std::span<const float> values, float divisor, std::byte* out, std::int64_t first) {
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t i = 0; i < count; ++i) store(out, first + i, Codec::encode(values[i] / divisor));
}

/// Two loops, because the compiler can vectorise the first one.
template <>
void encode_group<E2M1Codec>(std::span<const float> values, float divisor, std::byte* out, std::int64_t first) {
  std::array<std::uint32_t, 32> codes;
  for (std::size_t i = 0; i < values.size(); ++i) codes[i] = E2M1Codec::encode(values[i] / divisor);
  for (std::size_t i = 0; i < values.size(); i += 2)
    out[(first + static_cast<std::int64_t>(i)) / 2] = static_cast<std::byte>(codes[i] | (codes[i + 1] << 4));
}

/// Quantises one operand chunk by chunk.
class Quantiser {
 public:
  Quantiser(const RowSource& source, const Groups& groups, E8M0Mode mode)
      : source_(source), groups_(groups), rule_(groups, mode) {
    result_.values.resize(groups.rows * groups.row_bytes());
    result_.scales.resize(storage_bytes(groups.grid.type, groups.grid.count()));
  }

  Quantised run() && {
    if (groups_.side.scaling == Scaling::tensor) scale_tensor();
    for_chunks([&](std::int64_t first, std::span<const float> values) { quantise_chunk(first, values); });
    return std::move(result_);
  }

 private:
  template <typename Body>
  void for_chunks(const Body& body) const {
    parallel_pieces(groups_.rows, groups_.chunk_rows(), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch((end - begin) * groups_.k);
      body(begin, source_(begin, end - begin, scratch));
    });
  }

  void scale_tensor() {
    std::atomic<std::uint32_t> largest{0};
    for_chunks([&](std::int64_t, std::span<const float> values) {
      const std::uint32_t here = largest_magnitude(values);
      std::uint32_t seen = largest.load();
      while (seen < here && !largest.compare_exchange_weak(seen, here)) {
      }
    });
    tensor_divisor_ = rule_.store_scale(largest, result_.scales.data(), 0);
  }

  void quantise_chunk(std::int64_t first_row, std::span<const float> values) {
    const std::int64_t rows = static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(groups_.k, 1);
    const std::int64_t row_block = groups_.side.scaling == Scaling::block_128x128 ? groups_.grid.row_block : 1;
    for (std::int64_t row = 0; row < rows; row += row_block) {
      const std::int64_t count = std::min(row_block, rows - row);
      quantise_group_row(first_row + row, count, values.subspan(row * groups_.k, count * groups_.k));
    }
  }

  /// Quantises rows that share their scales.
  void quantise_group_row(std::int64_t first_row, std::int64_t rows, std::span<const float> values) {
    for (std::int64_t col = 0; col < groups_.cols; ++col) {
      const float divisor = scale_of(first_row, rows, col, values);
      for (std::int64_t row = 0; row < rows; ++row)
        encode(first_row + row, col, values.subspan(row * groups_.k + col * groups_.k_block, groups_.length(col)),
               divisor);
    }
  }

  float scale_of(std::int64_t first_row, std::int64_t rows, std::int64_t col, std::span<const float> values) {
    if (!groups_.scaled()) return 1.0F;
    if (groups_.side.scaling == Scaling::tensor) return tensor_divisor_;
    std::uint32_t amax = 0;
    for (std::int64_t row = 0; row < rows; ++row)
      amax = std::max(amax,
                      largest_magnitude(values.subspan(row * groups_.k + col * groups_.k_block, groups_.length(col))));
    const std::int64_t index = first_row / groups_.grid.row_block * groups_.cols + col;
    return rule_.store_scale(amax, result_.scales.data(), index);
  }

  void encode(std::int64_t row, std::int64_t col, std::span<const float> values, float divisor) {
    std::byte* out = result_.values.data() + row * groups_.row_bytes();
    with_codec(groups_.side.type,
               [&](auto codec) { encode_group<decltype(codec)>(values, divisor, out, col * groups_.k_block); });
  }

  const RowSource& source_;
  Groups groups_;
  ScaleRule rule_;
  float tensor_divisor_{1.0F};
  Quantised result_{};
};

/// The scales of one row's groups as floats; 1 if there are no scales.
class RowScales {
 public:
  RowScales(const Groups& groups, const std::byte* scales)
      : groups_(groups), scales_(scales), values_(groups.cols, 1.0F) {}

  const float* of(std::int64_t row) {
    if (!groups_.scaled()) return values_.data();
    const std::int64_t first = row / groups_.grid.row_block * groups_.cols;
    for (std::int64_t col = 0; col < groups_.cols; ++col) values_[col] = scale(first + col);
    return values_.data();
  }

 private:
  float scale(std::int64_t index) const {
    if (groups_.grid.type == DType::e8m0) return e8m0_to_float(load<std::uint8_t>(scales_, index));
    return load<float>(scales_, index);
  }

  const Groups& groups_;
  const std::byte* scales_;
  std::vector<float> values_;
};

template <typename Codec>
void decode_group(const std::byte* stored, std::int64_t first, float scale, std::span<float> out) {
  using Stored = typename Codec::Stored;
  const auto count = static_cast<std::int64_t>(out.size());
  for (std::int64_t i = 0; i < count; ++i) out[i] = Codec::decode(load<Stored>(stored, first + i)) * scale;
}

template <>
void decode_group<E2M1Codec>(const std::byte* stored, std::int64_t first, float scale, std::span<float> out) {
  static constexpr auto table = decode_table([](std::uint32_t code) { return E2M1Codec::decode(code & 15U); });
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto byte = std::to_integer<std::uint32_t>(stored[(first + static_cast<std::int64_t>(i)) / 2]);
    out[i] = table[byte & 15U] * scale;
    out[i + 1] = table[byte >> 4] * scale;
  }
}

}  // namespace

Quantised quantise(std::span<const float> values, std::int64_t rows, std::int64_t k, Side side, E8M0Mode mode) {
  if (static_cast<std::int64_t>(values.size()) != rows * k)
    fail(ErrorCode::usage, "{} values are not {} x {}", values.size(), rows, k);
  const RowSource source = [&](std::int64_t first, std::int64_t count, std::span<float>) {
    return values.subspan(first * k, count * k);
  };
  return quantise_rows(source, rows, k, side, mode);
}

Quantised quantise_rows(const RowSource& source, std::int64_t rows, std::int64_t k, Side side, E8M0Mode mode) {
  return Quantiser(source, Groups(side, rows, k), mode).run();
}

std::vector<float> dequantise(const Quantised& operand, std::int64_t rows, std::int64_t k, Side side) {
  std::vector<float> out(rows * k);
  const Groups groups(side, rows, k);
  parallel_pieces(rows, groups.chunk_rows(), [&](std::int64_t begin, std::int64_t end) {
    dequantise_rows(operand.values.data(), operand.scales.data(), rows, k, side, begin, end - begin,
                    std::span(out).subspan(begin * k, (end - begin) * k));
  });
  return out;
}

void dequantise_rows(const std::byte* values, const std::byte* scales, std::int64_t total_rows, std::int64_t k,
                     Side side, std::int64_t first_row, std::int64_t rows, std::span<float> out) {
  const Groups groups(side, total_rows, k);
  RowScales row_scales(groups, scales);
  with_codec(side.type, [&](auto codec) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* scale = row_scales.of(first_row + row);
      const std::byte* stored = values + (first_row + row) * groups.row_bytes();
      for (std::int64_t col = 0; col < groups.cols; ++col)
        decode_group<decltype(codec)>(stored, col * groups.k_block, scale[col],
                                      out.subspan(row * k + col * groups.k_block, groups.length(col)));
    }
  });
}

}  // namespace gemmtune
