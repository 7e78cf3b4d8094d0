// Launches a kernel into a graph that is never run. Libraries load their code when they launch it first, which takes
// memory and time and cannot be captured; after a rehearsal, a plan's first launch is like every other.
#pragma once

#include <string>

#include "gemmtune/runtime/prepared_kernel.h"

namespace gemmtune {

/// Returns "", or why the launch could not be captured. Does nothing on a CPU. The device must be entered. Operands are
/// addresses at which nothing is read or written.
std::string rehearse(const PreparedKernel& kernel);

}  // namespace gemmtune
