#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_avx512.h"

namespace gemmtune::cpu_tile {

const FloatKernels& float_kernels_avx512() {
  static constexpr FloatKernels kernels = make_kernels<VecAvx512>();
  return kernels;
}

}  // namespace gemmtune::cpu_tile
