#include "gemmtune/families/folded_wgmma_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_fp8_family();

std::unique_ptr<KernelFamily> make_mxfp4_fp8_family() { return folded_wgmma::make_family(FoldType::e4m3); }

}  // namespace gemmtune
