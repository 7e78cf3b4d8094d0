// Which backend a kernel is of, told by its table's libtype or by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// In lower case. `libtype` decides where the table has one. Names of AITER's kernels follow its habits; those of
/// gemmtune's begin with their family; of all others the first word counts: "cutlass_128x256" is of "cutlass". "other"
/// where there is no word either.
std::string backend_of(std::string_view libtype, std::string_view kernel,
                       const std::vector<std::string>& families = {});

}  // namespace gemmtune
