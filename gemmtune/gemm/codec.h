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

/// Calls visitor(Codec{}) with the codec of an operand's or an output's type. Throws Error{unsupported} for other
/// types.
template <typename Visitor>
decltype(auto) with_codec(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::f32:
      return visitor(F32Codec{});
    case DType::tf32:
      return visitor(Tf32Codec{});
    case DType::f16:
      return visitor(F16Codec{});
    case DType::bf16:
      return visitor(Bf16Codec{});
    case DType::e4m3:
      return visitor(E4M3Codec{});
    case DType::e4m3fnuz:
      return visitor(E4M3FnuzCodec{});
    case DType::i8:
      return visitor(I8Codec{});
    case DType::e2m1:
      return visitor(E2M1Codec{});
    case DType::f64:
    case DType::i32:
    case DType::e8m0:
      break;
  }
  fail(ErrorCode::unsupported, "{} holds no matrix elements", to_string(type));
}

}  // namespace gemmtune
