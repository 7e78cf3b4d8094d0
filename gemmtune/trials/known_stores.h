// The list of stores on this machine. Every run adds the path of its store to the user's state folder, so that
// `gemmtune status` finds it.
#pragma once

#include <filesystem>
#include <vector>

namespace gemmtune {

/// GEMMTUNE_STATE, or gemmtune in the user's state folder (XDG_STATE_HOME, else ~/.local/state).
std::filesystem::path state_folder();

/// Throws Error{io} when the folder cannot be written.
void remember_store(const std::filesystem::path& store);

/// The remembered stores that still exist, sorted by path.
std::vector<std::filesystem::path> known_stores();

}  // namespace gemmtune
