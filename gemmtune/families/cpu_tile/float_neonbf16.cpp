// Pairs of bf16 with Arm's dot product (BFDOT): the tiles of the float kernels with another multiply-add.
#include "gemmtune/families/cpu_tile/float_stream_templates.h"
#include "gemmtune/families/cpu_tile/vec_neon.h"

namespace gemmtune::cpu_tile {
namespace {

/// A lane is two bf16; sums are float. (The instruction treats denormals as zeros, and rounds to odd.)
struct VecPairs : VecNeon {
  static Type multiply_add(Type a, Type b, Type c) {
    return {vbfdotq_f32(c.low, as_pairs(a.low), as_pairs(b.low)),
            vbfdotq_f32(c.high, as_pairs(a.high), as_pairs(b.high))};
  }

 private:
  static bfloat16x8_t as_pairs(float32x4_t value) { return vreinterpretq_bf16_f32(value); }
};

StreamFunction no_stream(Source, const StreamShape&) { return nullptr; }

}  // namespace

const FloatKernels& float_kernels_neonbf16() {
  static constexpr FloatKernels kernels = {.width = VecPairs::width,
                                           .depth_step = 1,
                                           .pairs = true,
                                           .most_rows = &most_rows<VecPairs>,
                                           .tile = &find_tile<VecPairs>,
                                           .pack = &find_pack<VecNeon>,
                                           .row = &find_row<VecNeon>,
                                           .widen = &find_widen<VecNeon>,
                                           .stream = &no_stream,
                                           .finish = &find_finish<VecNeon>,
                                           .enter = &nothing,
                                           .leave = &nothing};
  return kernels;
}

}  // namespace gemmtune::cpu_tile
