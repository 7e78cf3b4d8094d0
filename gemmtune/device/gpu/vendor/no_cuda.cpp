// Replaces NVIDIA's part in a build that found no headers for it.
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune::gpu {

Vendor nvidia() {
  return {.kind = DeviceKind::cuda,
          .arch_prefix = "sm",
          .left_out =
              "support for NVIDIA's GPUs is left out of this build, which found no headers for it (cuda.h, nvrtc.h)"};
}

}  // namespace gemmtune::gpu
