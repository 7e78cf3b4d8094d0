// PTX whose only purpose is its length: run on all multiprocessors, it takes the place of whatever instructions their
// caches held.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

/// For any device of NVIDIA's: kernels of straight-line code, 512 KiB of it in all, which is several times what a
/// multiprocessor's caches hold. One address is their argument; to null, nothing is written. Many short kernels since
/// compilers take more than twice as long for one of twice the length.
std::string evicting_code();

/// Their names, in the order they are to be launched in.
std::vector<std::string> evicting_kernels();

}  // namespace gemmtune
