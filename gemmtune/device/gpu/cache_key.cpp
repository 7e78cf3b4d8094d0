#include <fmt/format.h>

#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {

std::string cache_key(const KernelSource& source, const std::string& compiler_version) {
  std::string all;
  for (const auto& part : {compiler_version, source.arch, join(source.options, "\x1f"), source.text})
    all += fmt::format("{}\x1e{}", part.size(), part);
  return fmt::format("{:016x}{:016x}", hash64(all), hash64(all, 0x9e3779b97f4a7c15ULL));
}

}  // namespace gemmtune
