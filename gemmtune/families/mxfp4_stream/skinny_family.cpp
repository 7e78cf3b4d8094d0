#include "gemmtune/families/mxfp4_stream/stream_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family();

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family() {
  return mxfp4_stream::make_family(mxfp4_stream::Kind::skinny);
}

}  // namespace gemmtune
