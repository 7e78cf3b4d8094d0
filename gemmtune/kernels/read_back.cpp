#include "gemmtune/kernels/read_back.h"

#include "gemmtune/device/gpu/gpu_stream.h"

namespace gemmtune {

void read_back(const std::byte* from, std::span<std::byte> to, Stream& stream) {
  const auto& on_gpu = dynamic_cast<const GpuStream&>(stream);
  on_gpu.driver().download(from, to.data(), to.size(), on_gpu.handle());
  stream.synchronize();
}

}  // namespace gemmtune
