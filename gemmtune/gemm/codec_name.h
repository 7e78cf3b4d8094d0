// The codecs of gemm/element_codecs.h by name, for sources that are compiled at run time.
#pragma once

#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

/// "Bf16Codec". Throws Error{unsupported} for a type that no matrix element has.
const char* codec_name(DType type);

}  // namespace gemmtune
