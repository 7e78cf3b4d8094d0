#include "gemmtune/verify/examiner.h"

#include <spdlog/spdlog.h>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/operands.h"
#ifdef GEMMTUNE_GPU
#include "gemmtune/verify/gpu/gpu_examiner.h"
#endif

namespace gemmtune {

Inputs allocate_inputs(Device& device, const Problem& problem) {
  const auto sizes = operand_sizes(problem);
  return {.a = device.allocate(sizes.a),
          .a_scale = device.allocate(sizes.a_scale),
          .w = device.allocate(sizes.w),
          .w_scale = device.allocate(sizes.w_scale),
          .bias = device.allocate(sizes.bias),
          .residual = device.allocate(sizes.residual)};
}

std::unique_ptr<Examiner> make_examiner(Device& device) {
#ifdef GEMMTUNE_GPU
  if (device.info().kind != DeviceKind::cpu) {
    try {
      return make_gpu_examiner(device);
    } catch (const Error& error) {
      spdlog::warn("{}: operands are made and checked on the host, which takes long: {}", device_id(device.info()),
                   error.what());
    }
  }
#endif
  return make_host_examiner(device);
}

}  // namespace gemmtune
