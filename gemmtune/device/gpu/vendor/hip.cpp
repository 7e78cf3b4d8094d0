#include "gemmtune/device/gpu/vendor/hip.h"

namespace gemmtune::gpu {

Vendor amd() {
  const std::vector<std::string> runtimes{"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  auto compilers = runtimes;  // in older releases the runtime's library contains the compiler as well
  compilers.insert(compilers.begin(), {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6"});
  return {.kind = DeviceKind::hip,
          .arch_prefix = "gfx",
          .driver_libraries = runtimes,
          .compiler_libraries = compilers,
          .make_driver = make_hip_driver,
          .make_compiler = make_hip_compiler,
          .make_monitor = [](const std::string& bus_id) { return make_amdgpu_monitor(bus_id); }};
}

}  // namespace gemmtune::gpu
