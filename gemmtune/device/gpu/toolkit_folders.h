// Where toolkits keep their libraries, for machines whose loader does not know these folders.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

/// lib64 under $CUDA_HOME, $CUDA_PATH and /usr/local/cuda, and lib under $ROCM_PATH and /opt/rocm, whether they exist
/// or not.
std::vector<std::string> toolkit_folders();

}  // namespace gemmtune
