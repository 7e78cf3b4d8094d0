// The codec of each type, and access to stored elements, for loops over whole tensors on the host.
// Not an interface for families: they include gemm/numeric.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/element_codecs.h"

namespace gemmtune {

/// Element `index` of stored bytes that need not be aligned.
template <typename T>
T load(const std::byte* bytes, std::int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* bytes, std::int64_t index, T value) {
  std::memcpy(bytes + index * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

/// Calls visitor(Codec{}, "Codec") with the codec of an operand's or an output's type and its name: the one list of
/// them. Throws Error{unsupported} for other types.
template <typename Visitor>
decltype(auto) with_named_codec(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::f32:
      return visitor(F32Codec{}, "F32Codec");
    case DType::tf32:
      return visitor(Tf32Codec{}, "Tf32Codec");
    case DType::f16:
      return visitor(F16Codec{}, "F16Codec");
    case DType::bf16:
      return visitor(Bf16Codec{}, "Bf16Codec");
    case DType::e4m3:
      return visitor(E4M3Codec{}, "E4M3Codec");
    case DType::e4m3fnuz:
      return visitor(E4M3FnuzCodec{}, "E4M3FnuzCodec");
    case DType::i8:
      return visitor(I8Codec{}, "I8Codec");
    case DType::e2m1:
      return visitor(E2M1Codec{}, "E2M1Codec");
    case DType::i4:
      return visitor(I4Codec{}, "I4Codec");
    case DType::f64:
    case DType::i32:
    case DType::e8m0:
      break;
  }
  fail(ErrorCode::unsupported, "{} holds no matrix elements", to_string(type));
}

/// The same for visitors that need no name.
template <typename Visitor>
decltype(auto) with_codec(DType type, Visitor&& visitor) {
  return with_named_codec(type, [&](auto codec, const char*) -> decltype(auto) { return visitor(codec); });
}

}  // namespace gemmtune
