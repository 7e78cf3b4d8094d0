// A call of mxfp4_int8 or mxfp4_fp8: folds the activations, multiplies, and rescues the rows that could not be folded.
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/family.h"
#include "gemmtune/kernels/wgmma_gemm.h"

namespace gemmtune::folded_wgmma {

/// Compiles the kernels. Throws Error{unsupported} if there is no such kernel for the problem.
std::unique_ptr<PreparedGemm> prepare_folded(const WgmmaProduct& product, const WgmmaTile& tile,
                                             const DeviceInfo& device);

/// All kernels that prepare_folded() compiles.
std::vector<KernelSource> folded_kernels(const WgmmaProduct& product, const WgmmaTile& tile);

}  // namespace gemmtune::folded_wgmma
