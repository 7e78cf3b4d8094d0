// The families in this build. CMake writes the table from the folders.
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/families/family.h"

namespace gemmtune {

std::vector<std::unique_ptr<KernelFamily>> make_families();

}  // namespace gemmtune
