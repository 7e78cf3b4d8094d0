#include "gemmtune/gemm/codec_name.h"

#include "gemmtune/gemm/codec.h"

namespace gemmtune {

const char* codec_name(DType type) {
  return with_named_codec(type, [](auto, const char* name) { return name; });
}

}  // namespace gemmtune
