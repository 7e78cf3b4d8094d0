// Pairs of bf16 with AVX-512's dot product: the tiles of the float kernels with another multiply-add.
#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_avx512.h"

namespace gemmtune::cpu_tile {
namespace {

/// A lane is two bf16; sums are float. (The instruction treats denormals as zeros.)
struct VecPairs : VecAvx512 {
  static Type multiply_add(Type a, Type b, Type c) { return _mm512_dpbf16_ps(c, as_pairs(a), as_pairs(b)); }

 private:
  static __m512bh as_pairs(Type value) {
    __m512bh pairs;
    std::memcpy(&pairs, &value, sizeof pairs);
    return pairs;
  }
};

StreamFunction no_stream(Source, const StreamShape&) { return nullptr; }

}  // namespace

const FloatKernels& float_kernels_avx512bf16() {
  static constexpr FloatKernels kernels = {.width = VecPairs::width,
                                           .depth_step = 1,
                                           .pairs = true,
                                           .most_rows = &most_rows<VecPairs>,
                                           .tile = &find_tile<VecPairs>,
                                           .pack = &find_pack<VecAvx512>,
                                           .row = &find_row<VecAvx512>,
                                           .widen = &find_widen<VecAvx512>,
                                           .stream = &no_stream,
                                           .finish = &find_finish<VecAvx512>,
                                           .enter = &nothing,
                                           .leave = &nothing};
  return kernels;
}

}  // namespace gemmtune::cpu_tile
