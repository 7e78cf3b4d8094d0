#include "gemmtune/device/gpu/toolkit_folders.h"

#include <cstdlib>

namespace gemmtune {

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  const auto add_named_by = [&](const char* variable, const char* under) {
    if (const auto* folder = std::getenv(variable)) folders.push_back(std::string(folder) + under);
  };
  add_named_by("CUDA_HOME", "/lib64");
  add_named_by("CUDA_PATH", "/lib64");
  folders.emplace_back("/usr/local/cuda/lib64");
  add_named_by("ROCM_PATH", "/lib");
  folders.emplace_back("/opt/rocm/lib");
  return folders;
}

}  // namespace gemmtune
