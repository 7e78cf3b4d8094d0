#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_avx2.h"

namespace gemmtune::cpu_tile {

const FloatKernels& float_kernels_avx2() {
  static constexpr FloatKernels kernels = make_kernels<VecAvx2>();
  return kernels;
}

}  // namespace gemmtune::cpu_tile
