// Adding counts to a capture's file that other processes add to as well: locked, merged, replaced whole.
#pragma once

#include <filesystem>
#include <span>

#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

/// Takes the lock file beside `path` (path + ".lock", flock: gone with its process), reads the file, adds, and renames
/// the sum over it. Throws Error: input when the file is something else than a capture (it is then left alone), io
/// when it cannot be written or when the lock was not to be had within a few seconds.
void add_to_capture_file(const std::filesystem::path& path, std::span<const CapturedProblem> more);

}  // namespace gemmtune
