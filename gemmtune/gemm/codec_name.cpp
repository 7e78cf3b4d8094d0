#include "gemmtune/gemm/codec_name.h"

#include "gemmtune/core/error.h"

namespace gemmtune {

const char* codec_name(DType type) {
  switch (type) {
    case DType::f32:
      return "F32Codec";
    case DType::tf32:
      return "Tf32Codec";
    case DType::f16:
      return "F16Codec";
    case DType::bf16:
      return "Bf16Codec";
    case DType::e4m3:
      return "E4M3Codec";
    case DType::e4m3fnuz:
      return "E4M3FnuzCodec";
    case DType::i8:
      return "I8Codec";
    case DType::e2m1:
      return "E2M1Codec";
    case DType::f64:
    case DType::i32:
    case DType::e8m0:
      break;
  }
  fail(ErrorCode::unsupported, "{} holds no matrix elements", to_string(type));
}

}  // namespace gemmtune
