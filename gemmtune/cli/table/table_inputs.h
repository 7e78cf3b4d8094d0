// Reads the tables that the user gave to a command of `gemmtune table`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Each argument is a path, or several paths separated by colons, as in AITER_CONFIG_*. Throws Error{usage} if there
/// are none.
std::vector<std::filesystem::path> table_paths(const std::vector<std::string>& arguments);

/// Reads all of them. Messages on stderr name the lines that cannot be used.
std::vector<Sheet> read_sheets(const std::vector<std::string>& arguments);

}  // namespace gemmtune
