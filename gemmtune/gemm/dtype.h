// Numeric formats of GEMM operands: their names, sizes, and spelling elsewhere.
// What the bits mean stands in gemm/numeric.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gemmtune {

enum class DType : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  e4m3,      // OCP FP8 E4M3 ("fn": no infinity, 448 largest)
  e4m3fnuz,  // AMD's FP8 of gfx942 (240 largest)
  i8,
  i32,
  e2m1,  // OCP FP4, two to a byte: element 2i in the low nibble, 2i+1 in the high one
  e8m0,  // power-of-two scale: 2^(b-127), 255 = NaN
  tf32,  // operands only: f32 words of which 10 bits of mantissa count, as tensor cores take them
};

inline constexpr DType last_dtype = DType::tf32;

/// "bf16", "e4m3", "int8", …: the spelling in canonical text.
std::string_view to_string(DType type);

/// Our spelling, PyTorch's ("torch.bfloat16"), AITER's ("dtypes.bf16") and common short ones ("fp16", "half"), case
/// ignored.
std::optional<DType> parse_dtype(std::string_view text);

/// "torch.bfloat16": the spelling in AITER's tables. "tf32", for which PyTorch has a switch and no type.
std::string_view torch_name(DType type);

int bits(DType type);

constexpr bool is_half(DType type) noexcept { return type == DType::bf16 || type == DType::f16; }

constexpr bool is_8bit(DType type) noexcept {
  return type == DType::i8 || type == DType::e4m3 || type == DType::e4m3fnuz;
}

/// What C can be made of.
constexpr bool is_output(DType type) noexcept { return is_half(type) || type == DType::f32; }

/// What A and the weights can be made of.
constexpr bool is_operand(DType type) noexcept {
  return type != DType::e8m0 && type != DType::i32 && type != DType::f64;
}

/// Bytes of `count` elements, rounded up to whole bytes.
std::int64_t storage_bytes(DType type, std::int64_t count);

}  // namespace gemmtune
