// mxfp4_int8 and mxfp4_fp8: two families that differ only in the type that MXFP4 is folded to.
#pragma once

#include <memory>

#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fold_rules.h"

namespace gemmtune::folded_wgmma {

std::unique_ptr<KernelFamily> make_family(FoldType type);

}  // namespace gemmtune::folded_wgmma
