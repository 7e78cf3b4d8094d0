#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_portable.h"

namespace gemmtune::cpu_tile {

const FloatKernels& float_kernels_portable() {
  static constexpr FloatKernels kernels = make_kernels<VecPortable>();
  return kernels;
}

}  // namespace gemmtune::cpu_tile
