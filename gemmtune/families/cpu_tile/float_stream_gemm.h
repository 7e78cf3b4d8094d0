// A GEMM of few rows as dot products along K. Weights are read once, in the order in which they are stored, and are
// never packed.
#pragma once

#include <memory>

#include "gemmtune/families/cpu_tile/float_kernels.h"
#include "gemmtune/families/family.h"

namespace gemmtune::cpu_tile {

std::unique_ptr<PreparedGemm> make_stream_gemm(const Problem& problem, const FloatKernels& kernels,
                                               const StreamShape& shape, std::int64_t threads);

}  // namespace gemmtune::cpu_tile
