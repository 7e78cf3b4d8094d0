// The tables that a command of `gemmtune table` was given.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Each argument is a path or several with colons between, as AITER_CONFIG_* have them. Throws Error{usage} for none.
std::vector<std::filesystem::path> table_paths(const std::vector<std::string>& arguments);

/// All of them. Lines that cannot be used are named on stderr.
std::vector<Sheet> read_sheets(const std::vector<std::string>& arguments);

}  // namespace gemmtune
