// Matrices to quantise, and what the host's quantiser makes of them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/runtime/quantising.h"

namespace gemmtune {

/// Every type and scaling, with sizes that leave parts of blocks, and with gaps between rows.
inline std::vector<Quantisation> quantisations() {
  std::vector<Quantisation> all;
  for (const auto from : {DType::bf16, DType::f16, DType::f32})
    for (const auto& to :
         {Side{DType::e4m3, Scaling::row}, Side{DType::e4m3, Scaling::block_1x128},
          Side{DType::e4m3, Scaling::block_128x128}, Side{DType::i8, Scaling::row}, Side{DType::e4m3fnuz, Scaling::row},
          Side{DType::e2m1, Scaling::mx_1x32}, Side{DType::e4m3, Scaling::mx_1x32}})
      for (const auto& [rows, k] : {std::pair{1, 32}, std::pair{37, 416}, std::pair{130, 1056}})
        all.push_back({from, to, rows, k, k + (k > 400 ? 8 : 0)});
  return all;
}

inline std::string text_of(const Quantisation& q) {
  return fmt::format("{}x{} {} to {}/{}", q.rows, q.k, to_string(q.from), to_string(q.to.type),
                     to_string(q.to.scaling));
}

/// With gaps of NaN, a row of zeros, and values over many binades.
inline std::vector<std::byte> drawn_matrix(const Quantisation& q) {
  std::mt19937_64 random(static_cast<std::uint64_t>(q.rows * q.k));
  std::normal_distribution<float> normal;
  const auto element = storage_bytes(q.from, 1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(q.rows * q.leading_dimension * element), std::byte{0xff});
  for (std::int64_t i = 0; i < q.rows * q.k; ++i) {
    const auto row = i / q.k;
    const float value = row == 5 ? 0.0F : normal(random) * std::ldexp(1.0F, static_cast<int>(i / 32 % 19) - 9);
    std::uint32_t bits{};
    if (q.from == DType::f32)
      std::memcpy(&bits, &value, sizeof value);
    else
      bits = q.from == DType::bf16 ? float_to_bf16(value) : float_to_f16(value);
    std::memcpy(bytes.data() + (row * q.leading_dimension + i % q.k) * element, &bits,
                static_cast<std::size_t>(element));
  }
  return bytes;
}

inline Quantised room_for(const Quantisation& q) {
  const auto bytes = quantised_bytes(q);
  return {.values = std::vector<std::byte>(static_cast<std::size_t>(bytes.values), std::byte{0xff}),
          .scales = std::vector<std::byte>(static_cast<std::size_t>(bytes.scales), std::byte{0xff})};
}

inline Quantised expected_of(const Quantisation& q, const std::vector<std::byte>& given) {
  std::vector<float> values;
  const auto element = storage_bytes(q.from, 1);
  for (std::int64_t i = 0; i < q.rows * q.k; ++i) {
    std::uint32_t bits{};
    std::memcpy(&bits, given.data() + (i / q.k * q.leading_dimension + i % q.k) * element,
                static_cast<std::size_t>(element));
    const auto half = static_cast<std::uint16_t>(bits);
    values.push_back(q.from == DType::f32    ? std::bit_cast<float>(bits)
                     : q.from == DType::bf16 ? bf16_to_float(half)
                                             : f16_to_float(half));
  }
  return quantise(values, q.rows, q.k, q.to);
}

}  // namespace gemmtune
