#include "blocks.h"

#include <array>
#include <cmath>
#include <cstring>

namespace {

constexpr std::array<double, 16> e2m1{0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};

std::size_t scale_bytes(BlockType type) { return type == BlockType::mxfp4 ? 1 : 2; }

double f16(const unsigned char* raw) {
  const int bits = raw[0] | raw[1] << 8;
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa | 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double scale_of(BlockType type, const unsigned char* block) {
  return type == BlockType::mxfp4 ? std::ldexp(1.0, block[0] - 127) : f16(block);
}

unsigned nibble(const unsigned char* packed, unsigned element) {
  return element < 16 ? packed[element] & 15U : packed[element - 16] >> 4U;
}

/// Neighbours share a byte.
void put_nibbles(const unsigned char* packed, unsigned flipped, unsigned char* values) {
  for (unsigned i = 0; i < 16; ++i)
    values[i] = static_cast<unsigned char>((nibble(packed, 2 * i) | nibble(packed, 2 * i + 1) << 4U) ^ flipped);
}

double element(BlockType type, const unsigned char* values, unsigned i) {
  if (type == BlockType::q8_0) return static_cast<signed char>(values[i]);
  const auto code = nibble(values, i);
  return type == BlockType::mxfp4 ? e2m1[code] : static_cast<double>(code) - 8;
}

}  // namespace

Weights rearranged(const BlockTensor& tensor, std::int64_t experts) {
  const auto blocks = static_cast<std::size_t>(experts * tensor.n * (tensor.k / 32));
  const auto of_scale = scale_bytes(tensor.type);
  const auto of_values = tensor.type == BlockType::q8_0 ? std::size_t{32} : std::size_t{16};
  const auto of_block = block_bytes(tensor.type);
  Weights weights{std::vector<unsigned char>(blocks * of_values), std::vector<unsigned char>(blocks * of_scale)};
  const unsigned flipped = tensor.type == BlockType::q4_0 ? 0x88 : 0;  // value + 8 becomes two's complement
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto* block = tensor.data + i * of_block;
    auto* values = weights.values.data() + i * of_values;
    std::memcpy(weights.scales.data() + i * of_scale, block, of_scale);
    if (tensor.type == BlockType::q8_0)
      std::memcpy(values, block + of_scale, of_values);
    else
      put_nibbles(block + of_scale, flipped, values);
  }
  return weights;
}

std::vector<double> row_of(const BlockTensor& tensor, std::int64_t expert, std::int64_t row) {
  const auto row_blocks = static_cast<std::size_t>(tensor.k / 32);
  const auto first = static_cast<std::size_t>(expert * tensor.n + row) * row_blocks;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < row_blocks; ++i) {
    const auto* block = tensor.data + (first + i) * block_bytes(tensor.type);
    const auto scale = scale_of(tensor.type, block);
    for (unsigned j = 0; j < 32; ++j)
      numbers.push_back(scale * element(tensor.type, block + scale_bytes(tensor.type), j));
  }
  return numbers;
}
