// Scales in E8M0 as floats, for kernels that take floats: see kernels/e8m0_floats.h. One thread for each scale.

#include <cstdint>

#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/kernels/e8m0_floats_arguments.h"
#include "gemmtune/kernels/pdl.cuh"

using namespace gemmtune;

extern "C" __global__ void __launch_bounds__(256) e8m0_floats(E8m0FloatsArguments at) {
  pdl_launch_dependents();
  pdl_wait();
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  const E8m0Scales& side = i < at.a.count ? at.a : at.w;
  if (i >= at.a.count) i -= at.a.count;
  if (i < side.count) side.floats[i] = e8m0_to_float(side.bytes[i]);
}
