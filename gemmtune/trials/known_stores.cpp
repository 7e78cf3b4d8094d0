#include "gemmtune/trials/known_stores.h"

#include <algorithm>
#include <cstdlib>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path list_folder() { return state_folder() / "stores"; }

/// False for the temporary file of a process that is writing an entry.
bool is_entry(const fs::directory_entry& entry) {
  constexpr std::size_t digits = 16;
  std::error_code error;
  return entry.is_regular_file(error) && entry.path().filename().string().size() == digits;
}

}  // namespace

fs::path state_folder() {
  if (const auto folder = variable("GEMMTUNE_STATE"); !folder.empty()) return folder;
  if (const auto folder = variable("XDG_STATE_HOME"); !folder.empty()) return fs::path(folder) / "gemmtune";
  const auto home = variable("HOME");
  return fs::path(home.empty() ? "/tmp" : home) / ".local/state/gemmtune";
}

void remember_store(const fs::path& store) {
  const auto path = fs::weakly_canonical(store).string();
  std::error_code error;
  fs::create_directories(list_folder(), error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", list_folder().string(), error.message());
  write_file_atomically(list_folder() / fmt::format("{:016x}", hash64(path)), path + '\n');
}

std::vector<fs::path> known_stores() {
  std::vector<fs::path> stores;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(list_folder(), error)) {
    if (!is_entry(entry)) continue;
    const fs::path store(trim(read_file(entry.path())));
    std::error_code ignored;
    if (fs::exists(store, ignored)) stores.push_back(store);
  }
  std::ranges::sort(stores);
  return stores;
}

}  // namespace gemmtune
