// PTX whose only purpose is its length: run on all multiprocessors, it evicts the instructions that their caches held.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

/// Kernels of straight-line code for any NVIDIA GPU, 512 KiB in total, which is several times what a multiprocessor's
/// caches hold. Their argument is an address; if it is null, nothing is written. There are many short kernels because
/// compilers take more than twice as long for a kernel of twice the length.
std::string evicting_code();

/// The names of these kernels, in the order in which they must be launched.
std::vector<std::string> evicting_kernels();

}  // namespace gemmtune
