#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_neon.h"

namespace gemmtune::cpu_tile {

const FloatKernels& float_kernels_neon() {
  static constexpr FloatKernels kernels = make_kernels<VecNeon>();
  return kernels;
}

}  // namespace gemmtune::cpu_tile
