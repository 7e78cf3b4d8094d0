// The validators of a PyTorch, without which it uses no file of TunableOp.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// From a file that PyTorch itself wrote. Throws Error{input} if it has none.
std::vector<Param> validators_in(const std::string& path);

/// From an installed PyTorch (2.4 or newer), which is asked on the machine that will use the file: `python` imports
/// torch, and its first GPU is meant. Throws Error{input} with what it wrote on stderr if it cannot say.
std::vector<Param> validators_of(const std::string& python);

}  // namespace gemmtune
