// Adds counts to a capture file that other processes write too. The file is locked, merged and replaced as a whole.
#pragma once

#include <filesystem>
#include <span>

#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

/// Takes the lock file beside `path` (path + ".lock"; its flock ends with its process), reads the file, adds the
/// counts, and renames the result over the file. Throws Error{input} if the file is not a capture, and then leaves it
/// alone. Throws Error{io} if the file cannot be written or the lock is not free within a few seconds.
void add_to_capture_file(const std::filesystem::path& path, std::span<const CapturedProblem> more);

}  // namespace gemmtune
