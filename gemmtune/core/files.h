// Reads and writes whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gemmtune {

/// The file's bytes. Throws Error{input} naming the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes a file beside `path`, syncs it, renames it over `path` and syncs the folder: a reader or a power cut sees the
/// old file or the new one. Throws Error{io}; the old file is then untouched. Sweeps up what killed writers left there.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gemmtune
