// Replaces AMD's part in a build that found no headers for it.
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune::gpu {

Vendor amd() {
  return {.kind = DeviceKind::hip,
          .arch_prefix = "gfx",
          .left_out = "support for AMD's GPUs is left out of this build, which found no headers for it (hip/hiprtc.h)"};
}

}  // namespace gemmtune::gpu
