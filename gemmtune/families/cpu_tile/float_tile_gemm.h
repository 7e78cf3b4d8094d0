// A GEMM by float tiles, ready to launch.
#pragma once

#include <memory>

#include "gemmtune/families/cpu_tile/float_panels.h"
#include "gemmtune/families/cpu_tile/float_plan.h"
#include "gemmtune/families/family.h"

namespace gemmtune::cpu_tile {

std::unique_ptr<PreparedGemm> make_tile_gemm(const Problem& problem, const FloatKernels& kernels,
                                             const TileChoice& choice, Weights weights);

}  // namespace gemmtune::cpu_tile
