// The tensor types of GGUF files: their numbers, names and blocks, as ggml defines them. What the bytes of the types
// mean that can be multiplied here is in exchange/gguf_formats.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemmtune {

/// A tensor's type: each `block` consecutive elements of a row are stored in `block_bytes` bytes.
struct GgufType {
  std::uint32_t number{};
  std::string_view name{};  // as llama.cpp shows it: "MXFP4", "Q4_0", "F32"
  std::int64_t block{1};
  std::int64_t block_bytes{};

  auto operator<=>(const GgufType&) const = default;
};

/// Nothing for a number that this version does not know, or that was withdrawn.
std::optional<GgufType> gguf_type(std::uint32_t number);

/// The type's name, or "type 47".
std::string gguf_type_name(std::uint32_t number);

namespace gguf {

inline constexpr std::uint32_t f32 = 0;
inline constexpr std::uint32_t f16 = 1;
inline constexpr std::uint32_t q4_0 = 2;
inline constexpr std::uint32_t q8_0 = 8;
inline constexpr std::uint32_t bf16 = 30;
inline constexpr std::uint32_t mxfp4 = 39;
inline constexpr std::uint32_t nvfp4 = 40;

}  // namespace gguf
}  // namespace gemmtune
