#include "gemmtune/verify/examiner.h"

#include "gemmtune/gemm/operands.h"
#ifdef GEMMTUNE_GPU
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/verify/gpu/gpu_examiner.h"
#endif

namespace gemmtune {

Inputs allocate_inputs(Device& device, const Problem& problem) {
  const auto sizes = operand_sizes(problem);
  return {.a = device.allocate(sizes.a),
          .a_scale = device.allocate(sizes.a_scale),
          .w = device.allocate(sizes.w),
          .w_scale = device.allocate(sizes.w_scale),
          .bias = device.allocate(sizes.bias)};
}

std::unique_ptr<Examiner> make_examiner(Device& device) {
#ifdef GEMMTUNE_GPU
  if (device.info().kind != DeviceKind::cpu && KernelCompiler::open(KernelCache(default_kernel_cache())))
    return make_gpu_examiner(device);
#endif
  return make_host_examiner(device);
}

}  // namespace gemmtune
