// Reads the Triton configuration files that the user gave to a command.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/table/triton/triton_rows.h"

namespace gemmtune {

/// Throws Error{input} for a file that cannot be read, and for one whose name does not state device, kernel and tag.
std::vector<NamedTritonFile> read_triton_files(const std::vector<std::string>& paths);

/// Prints one line each on stderr.
void name_left_out(const std::vector<LeftOut>& left_out);

}  // namespace gemmtune
