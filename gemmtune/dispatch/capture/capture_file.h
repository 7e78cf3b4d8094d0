// Adds counts to a capture file that other processes write too. The file is locked, merged and replaced as a whole.
#pragma once

#include <filesystem>
#include <span>

#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

/// Locks the file (core/file_lock.h), reads it, adds the counts, and renames the result over it. Throws Error{input} if
/// the file is not a capture, and then leaves it alone. Throws Error{io} if it cannot be written, or read back, or if
/// the lock is not free within a few seconds.
void add_to_capture_file(const std::filesystem::path& path, std::span<const CapturedProblem> more);

}  // namespace gemmtune
