// The option --format of commands that read lists and tables.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {

/// Nothing for "". Throws Error{usage} that lists the formats.
std::optional<Format> format_named(const std::string& text);

/// The table in the format that was asked for; without one, what the file says (guess_source()).
TableSource table_source(const std::filesystem::path& path, const std::string& format);

/// "a16w16, a8w8, …"
std::string all_format_names();

}  // namespace gemmtune
