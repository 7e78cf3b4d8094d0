// Adds counts to a capture file that other processes write too: locked, merged, replaced as a whole.
#pragma once

#include <filesystem>
#include <span>

#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

/// Takes the lock file beside `path` (path + ".lock", flock: released when its process ends), reads the file, adds
/// the counts, and renames the result over it. Throws Error: input if the file is not a capture (it is left alone
/// then), io if it cannot be written or if the lock is not free within a few seconds.
void add_to_capture_file(const std::filesystem::path& path, std::span<const CapturedProblem> more);

}  // namespace gemmtune
