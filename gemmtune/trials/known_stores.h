// Which stores there are on this machine: every run leaves its store's path in the user's state folder, so that
// `gemmtune status` finds it.
#pragma once

#include <filesystem>
#include <vector>

namespace gemmtune {

/// GEMMTUNE_STATE, or gemmtune in the user's state folder (XDG_STATE_HOME, else ~/.local/state).
std::filesystem::path state_folder();

/// Throws Error{io} when the folder cannot be written.
void remember_store(const std::filesystem::path& store);

/// Those remembered that are still there, by path.
std::vector<std::filesystem::path> known_stores();

}  // namespace gemmtune
