// Reads and writes whole files. All that gemmtune writes but its SQLite stores goes through here. Several processes
// that add to one file take turns with core/file_lock.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gemmtune {

/// The file's bytes. Throws Error{input} naming the path and the system's reason, or that it has more than 512 MiB: a
/// device may have no end.
std::string read_file(const std::filesystem::path& path);

/// The file that `path` leads to: symbolic links are followed, also one whose target does not exist yet. The names of
/// open files (/dev/stdout, /proc/self/fd/1) are kept. Throws Error{io} for links in a circle.
std::filesystem::path followed(const std::filesystem::path& path);

/// Whether `path` is something that takes bytes and does not keep them as a file does: a FIFO, a device, an open file
/// by its number. It is written once and never read back.
bool is_stream(const std::filesystem::path& path);

/// Writes a file beside the one that `path` leads to, syncs it, renames it over that one and syncs the folder: a reader
/// or a power cut sees the old file or the new one. The file keeps its mode, owner and access list, and a link stays a
/// link. A stream, and a file that cannot be replaced (a bind mount, a folder that is not ours, an owner that we cannot
/// give away), is written in place. Throws Error{io}; a file that was to be replaced is then untouched. Sweeps up what
/// killed writers left there.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gemmtune
