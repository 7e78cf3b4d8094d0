// The names of exported files, and the file with the variables that make programs use them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// PyTorch's rule: the device's number stands before the last dot (results0.csv), or where the name has %d.
std::filesystem::path with_ordinal(const std::filesystem::path& path, std::int64_t ordinal);

/// FILE.env beside the file: NAME=VALUE lines, as `docker --env-file` and `set -a; . FILE.env` take them.
std::filesystem::path env_path(const std::filesystem::path& path);

/// Throws Error{usage} for a value with a blank, which the two readers of such files understand differently.
std::string env_text(const std::vector<Param>& variables);

}  // namespace gemmtune
