// Where toolkits keep their libraries, for machines whose loader was not told.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

/// lib64 under $CUDA_HOME, $CUDA_PATH and /usr/local/cuda, lib under $ROCM_PATH and /opt/rocm; there or not.
std::vector<std::string> toolkit_folders();

}  // namespace gemmtune
