// Numeric formats of GEMM operands: their names, their sizes, and how others spell them. gemm/numeric.h defines what
// the bits mean.
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
  tf32,  // only for operands: f32 words of which tensor cores use only 10 mantissa bits
  i4,    // -8 to 7 in two's complement, two to a byte as e2m1; only for weights
};

inline constexpr DType last_dtype = DType::i4;

/// The spelling in canonical text: "bf16", "e4m3", "int8", …
std::string_view to_string(DType type);

/// Accepts our spelling, PyTorch's ("torch.bfloat16"), AITER's ("dtypes.bf16") and common short ones ("fp16", "half").
/// Case is ignored.
std::optional<DType> parse_dtype(std::string_view text);

/// The spelling in AITER's tables: "torch.bfloat16". TF32, which in PyTorch is a switch and not a type, gives "tf32".
std::string_view torch_name(DType type);

int bits(DType type);

constexpr bool is_half(DType type) noexcept { return type == DType::bf16 || type == DType::f16; }

constexpr bool is_8bit(DType type) noexcept {
  return type == DType::i8 || type == DType::e4m3 || type == DType::e4m3fnuz;
}

/// Whether C can have this type.
constexpr bool is_output(DType type) noexcept { return is_half(type) || type == DType::f32; }

/// Whether A and the weights can have this type.
constexpr bool is_operand(DType type) noexcept {
  return type != DType::e8m0 && type != DType::i32 && type != DType::f64;
}

/// Whether two elements share a byte.
constexpr bool is_4bit(DType type) noexcept { return type == DType::e2m1 || type == DType::i4; }

/// The number of bytes of `count` elements, rounded up to whole bytes.
std::int64_t storage_bytes(DType type, std::int64_t count);

}  // namespace gemmtune
