#include <fmt/format.h>

#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {

std::string cache_key(const KernelSource& source, const std::string& compiler_version) {
  std::string all;
  const auto add = [&](const std::string& part) { all += fmt::format("{}\x1e{}", part.size(), part); };
  for (const auto& part : {compiler_version, source.arch, join(source.options, "\x1f"), source.text}) add(part);
  for (const auto& header : source.headers) {
    add(header.name);
    add(header.text);
  }
  return fmt::format("{:016x}{:016x}", hash64(all), hash64(all, 0x9e3779b97f4a7c15ULL));
}

}  // namespace gemmtune
