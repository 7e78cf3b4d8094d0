// The backend that a kernel belongs to, from its table's libtype or from its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// The name of the backend, in lower case. `libtype` decides if the table has one. Otherwise the kernel's name decides:
/// AITER's kernels follow its habits, gemmtune's begin with their family, and for all other names the first word is the
/// backend ("cutlass_128x256" belongs to "cutlass"). "other" if there is no word.
std::string backend_of(std::string_view libtype, std::string_view kernel,
                       const std::vector<std::string>& families = {});

}  // namespace gemmtune
