// What mxfp4_skinny and mxfp4_fused are: one family each, of the same kernel.
#pragma once

#include <memory>

#include "gemmtune/families/family.h"
#include "gemmtune/families/mxfp4_stream/stream_space.h"

namespace gemmtune::mxfp4_stream {

std::unique_ptr<KernelFamily> make_family(Kind kind);

}  // namespace gemmtune::mxfp4_stream
