#include "gemmtune/device/gpu/vendor/cuda.h"

namespace gemmtune::gpu {

Vendor nvidia() {
  return {.kind = DeviceKind::cuda,
          .arch_prefix = "sm",
          .driver_libraries = {"libcuda.so.1"},
          .compiler_libraries = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
          .make_driver = make_cuda_driver,
          .make_compiler = make_cuda_compiler,
          .make_monitor = make_nvml_monitor};
}

}  // namespace gemmtune::gpu
