#include "gemmtune/gemm/quantise.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include "gemmtune/core/parallel.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/fp8_in_call.h"
#include "gemmtune/gemm/q8.h"

namespace gemmtune {
namespace {

constexpr std::int64_t chunk_elements = 1 << 16;

/// Bits of the largest magnitude: integers compare as the magnitudes do, and NaN is above all.
std::uint32_t largest_magnitude(std::span<const float> values) {
  std::uint32_t largest = 0;
  for (const float value : values) largest = std::max(largest, magnitude_bits(value));
  return largest;
}

/// The first value of the largest magnitude.
float extreme_of(std::span<const float> values) {
  return *std::ranges::max_element(values, {}, [](float value) { return magnitude_bits(value); });
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
    if (is_4bit(side.type) && k % 2 != 0)
      fail(ErrorCode::unsupported, "K = {} is odd: two {} share a byte", k, to_string(side.type));
    if (const auto why = why_no_pair(side.type, side.scaling); !why.empty())
      fail(ErrorCode::unsupported, "{}, not {} and {}", why, to_string(side.scaling), to_string(side.type));
    k_block = scaled() ? grid.k_block : std::max<std::int64_t>(k, 1);
    cols = scaled() ? grid.cols : 1;
  }

  bool scaled() const { return has_scales(side.scaling); }
  bool has_tensor_scale() const { return side.scaling == Scaling::tensor || grid.has_tensor_scale; }
  std::int64_t row_bytes() const { return storage_bytes(side.type, k); }
  std::int64_t length(std::int64_t col) const { return std::min(k_block, k - col * k_block); }

  /// The number of rows that are processed at once. They contain whole groups, unless one scale covers the whole
  /// tensor.
  std::int64_t chunk_rows() const {
    if (shares_rows(side.scaling)) return grid.row_block;
    return std::clamp<std::int64_t>(chunk_elements / std::max<std::int64_t>(k, 1), 1, std::max<std::int64_t>(rows, 1));
  }
};

/// Computes scales, as the numbers by which values are divided.
class ScaleRule {
 public:
  ScaleRule(const Groups& groups, E8M0Mode mode)
      : grid_(groups.grid), mode_(mode), type_(groups.side.type), largest_(largest_of(groups.side.type)) {
    if (groups.side.type == DType::i4) largest_ = -largest_;
  }

  /// `extreme` is a value of the largest magnitude. `tensor_scale` is 1 if there is none beside the grid.
  float store_scale(float extreme, float tensor_scale, std::byte* scales, std::int64_t index) const {
    switch (grid_.type) {
      case DType::e8m0:
        return store_e8m0(extreme, scales, index);
      case DType::e4m3:
        return store_e4m3(extreme, tensor_scale, scales, index);
      case DType::f16:
        return store_f16(extreme, scales, index);
      default:
        break;
    }
    const float scale = not_zero(extreme / largest_);
    store(scales, index, scale);
    return scale;
  }

  /// The scale beside a grid of E4M3 scales.
  float store_tensor_scale(float amax, std::byte* scales) const {
    const float scale = not_zero(amax / (E4M3Codec::largest * largest_));
    store(scales + grid_.tensor_scale_offset(), 0, scale);
    return scale;
  }

 private:
  static float not_zero(float scale) { return scale == 0.0F ? 1.0F : scale; }

  /// Values divided by infinity become 0.
  static float divisor_of(float scale) { return scale == 0.0F ? std::numeric_limits<float>::infinity() : scale; }

  float store_e8m0(float extreme, std::byte* scales, std::int64_t index) const {
    const float amax = std::fabs(extreme);
    const std::uint8_t byte = e8m0_of(amax);
    store(scales, index, byte);
    return extreme == 0.0F ? 1.0F : e8m0_to_float(byte);
  }

  std::uint8_t e8m0_of(float amax) const {
    if (type_ != DType::e4m3) return e8m0_from_amax(amax, mode_);
    return grid_.k_block == 128 ? e8m0_above_e4m3(amax) : e8m0_for_e4m3(amax);
  }

  float store_e4m3(float extreme, float tensor_scale, std::byte* scales, std::int64_t index) const {
    const std::uint8_t byte = E4M3Codec::encode(std::fabs(extreme) / largest_ / tensor_scale);
    store(scales, index, byte);
    return divisor_of(E4M3Codec::decode(byte) * tensor_scale);
  }

  float store_f16(float extreme, std::byte* scales, std::int64_t index) const {
    const std::uint16_t bits = F16Codec::encode(not_zero(extreme / largest_));
    store(scales, index, bits);
    return divisor_of(F16Codec::decode(bits));
  }

  ScaleGrid grid_{};
  E8M0Mode mode_{};
  DType type_{};
  float largest_{};
};

template <typename Codec>
constexpr bool has_4_bits = std::is_same_v<Codec, E2M1Codec> || std::is_same_v<Codec, I4Codec>;

template <typename Codec>
void encode_group(std::span<const float> values, float divisor, std::byte* out, std::int64_t first) {
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t i = 0; i < count; ++i) store(out, first + i, Codec::encode(values[i] / divisor));
}

/// Two to a byte, in groups of at most 32. Two loops, because the compiler can vectorise the first one.
template <typename Codec>
requires has_4_bits<Codec>
void encode_group(std::span<const float> values, float divisor, std::byte* out, std::int64_t first) {
  std::array<std::uint32_t, 32> codes;
  for (std::size_t i = 0; i < values.size(); ++i) codes[i] = Codec::encode(values[i] / divisor);
  for (std::size_t i = 0; i < values.size(); i += 2)
    out[(first + static_cast<std::int64_t>(i)) / 2] = static_cast<std::byte>(codes[i] | (codes[i + 1] << 4));
}

/// Quantises one operand chunk by chunk.
class Quantiser {
 public:
  Quantiser(const RowSource& source, const Groups& groups, E8M0Mode mode)
      : source_(source), groups_(groups), rule_(groups, mode) {
    result_.values.resize(groups.rows * groups.row_bytes());
    result_.scales.resize(groups.grid.bytes());
  }

  Quantised run() && {
    if (groups_.has_tensor_scale()) scale_tensor();
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
    const auto amax = std::bit_cast<float>(largest.load());
    std::byte* const scales = result_.scales.data();
    tensor_divisor_ = groups_.grid.has_tensor_scale ? rule_.store_tensor_scale(amax, scales)
                                                    : rule_.store_scale(amax, 1.0F, scales, 0);
  }

  void quantise_chunk(std::int64_t first_row, std::span<const float> values) {
    const std::int64_t rows = static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(groups_.k, 1);
    const std::int64_t row_block = shares_rows(groups_.side.scaling) ? groups_.grid.row_block : 1;
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
    const std::int64_t index = first_row / groups_.grid.row_block * groups_.cols + col;
    return rule_.store_scale(extreme(rows, col, values), tensor_divisor_, result_.scales.data(), index);
  }

  /// A value of a group's largest magnitude. Its sign counts for int4 only, whose groups are one row high.
  float extreme(std::int64_t rows, std::int64_t col, std::span<const float> values) const {
    const auto part = [&](std::int64_t row) {
      return values.subspan(row * groups_.k + col * groups_.k_block, groups_.length(col));
    };
    if (groups_.side.type == DType::i4) return extreme_of(part(0));
    std::uint32_t amax = 0;
    for (std::int64_t row = 0; row < rows; ++row) amax = std::max(amax, largest_magnitude(part(row)));
    return std::bit_cast<float>(amax);
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
      : groups_(groups), scales_(scales), values_(groups.cols, 1.0F) {
    if (groups.grid.has_tensor_scale) tensor_scale_ = load<float>(scales + groups.grid.tensor_scale_offset(), 0);
  }

  const float* of(std::int64_t row) {
    if (!groups_.scaled()) return values_.data();
    const std::int64_t first = row / groups_.grid.row_block * groups_.cols;
    for (std::int64_t col = 0; col < groups_.cols; ++col) values_[col] = scale(first + col);
    return values_.data();
  }

 private:
  float scale(std::int64_t index) const {
    switch (groups_.grid.type) {
      case DType::e8m0:
        return e8m0_to_float(load<std::uint8_t>(scales_, index));
      case DType::e4m3:
        return E4M3Codec::decode(load<std::uint8_t>(scales_, index)) * tensor_scale_;
      case DType::f16:
        return F16Codec::decode(load<std::uint16_t>(scales_, index));
      default:
        return load<float>(scales_, index);
    }
  }

  const Groups& groups_;
  const std::byte* scales_;
  float tensor_scale_{1.0F};
  std::vector<float> values_;
};

template <typename Codec>
void decode_group(const std::byte* stored, std::int64_t first, float scale, std::span<float> out) {
  using Stored = typename Codec::Stored;
  const auto count = static_cast<std::int64_t>(out.size());
  for (std::int64_t i = 0; i < count; ++i) out[i] = Codec::decode(load<Stored>(stored, first + i)) * scale;
}

template <typename Codec>
requires has_4_bits<Codec>
void decode_group(const std::byte* stored, std::int64_t first, float scale, std::span<float> out) {
  static constexpr auto table = decode_table([](std::uint32_t code) { return Codec::decode(code & 15U); });
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto byte = std::to_integer<std::uint32_t>(stored[(first + static_cast<std::int64_t>(i)) / 2]);
    out[i] = table[byte & 15U] * scale;
    out[i + 1] = table[byte >> 4] * scale;
  }
}

/// What a call makes of one row of floats.
void round_to_q8(std::span<float> row) {
  for (std::size_t first = 0; first < row.size(); first += q8_length) {
    const auto values = row.subspan(first, std::min<std::size_t>(q8_length, row.size() - first));
    const Q8Block block = q8_block(values);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(block.codes[i]) * block.scale;
  }
}

/// The same for E4M3, with a scale for each `length` values.
void round_to_fp8(std::span<float> row, std::int64_t length) {
  for (std::size_t first = 0; first < row.size(); first += static_cast<std::size_t>(length)) {
    const auto values = row.subspan(first, std::min(static_cast<std::size_t>(length), row.size() - first));
    const float scale = fp8_scale(largest_magnitude(values));
    for (float& value : values) value = E4M3Codec::decode(fp8_code(value, scale)) * scale;
  }
}

/// What a call makes of a row of floats, if it quantises this side.
void round_as_call(Side side, std::span<float> row) {
  if (is_q8_in_call(side)) round_to_q8(row);
  if (side.scaling == Scaling::fp8_1x128) round_to_fp8(row, fp8_in_call_length);
  if (side.scaling == Scaling::fp8_row) round_to_fp8(row, std::max<std::int64_t>(std::ssize(row), 1));
}

void append_part(std::vector<std::byte>& to, const std::vector<std::byte>& from, std::int64_t first,
                 std::int64_t count) {
  to.insert(to.end(), from.begin() + first, from.begin() + first + count);
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
      round_as_call(side, out.subspan(row * k, k));
    }
  });
}

Quantised rows_of(const Quantised& whole, std::int64_t rows, std::int64_t k, Side side,
                  std::span<const std::int64_t> chosen) {
  const Groups groups(side, rows, k);
  const ScaleGrid& grid = groups.grid;
  if (shares_rows(side.scaling)) fail(ErrorCode::unsupported, "single rows have no {} scales", to_string(side.scaling));
  const std::int64_t scale_bytes = storage_bytes(grid.type, grid.cols);
  Quantised some;
  for (const std::int64_t row : chosen) {
    append_part(some.values, whole.values, row * groups.row_bytes(), groups.row_bytes());
    if (groups.scaled() && side.scaling != Scaling::tensor)
      append_part(some.scales, whole.scales, row * scale_bytes, scale_bytes);
  }
  if (side.scaling == Scaling::tensor) some.scales = whole.scales;
  if (!grid.has_tensor_scale) return some;
  some.scales.resize(scale_grid(side.scaling, std::ssize(chosen), k).tensor_scale_offset());
  append_part(some.scales, whole.scales, grid.tensor_scale_offset(), 4);
  return some;
}

}  // namespace gemmtune
