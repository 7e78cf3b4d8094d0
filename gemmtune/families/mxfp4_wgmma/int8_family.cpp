#include "gemmtune/families/mxfp4_wgmma/wgmma_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_int8_family();

std::unique_ptr<KernelFamily> make_mxfp4_int8_family() { return mxfp4_wgmma::make_family(FoldType::int8); }

}  // namespace gemmtune
