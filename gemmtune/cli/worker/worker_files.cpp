#include "gemmtune/cli/worker/worker_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path user_folder() {
  if (const auto folder = variable("XDG_CONFIG_HOME"); !folder.empty()) return fs::path(folder) / "gemmtune";
  return fs::path(variable("HOME")) / ".config/gemmtune";
}

fs::path shipped_folder() {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / "../share/gemmtune/workers").lexically_normal();
}

bool competes(const NamedWorker& worker, const NamedWorker& known) {
  return worker.name == known.name || std::ranges::any_of(worker.families, [&](const std::string& family) {
           return std::ranges::find(known.families, family) != known.families.end();
         });
}

}  // namespace

std::vector<NamedWorker> named_workers() {
  std::vector<NamedWorker> all;
  for (const auto& folder : {user_folder(), shipped_folder()}) {
    const auto path = folder / "workers.toml";
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    const auto before = all.size();
    for (auto& worker : read_worker_file(path)) {
      const bool is_taken = std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before),
                                        [&](const NamedWorker& known) { return competes(worker, known); });
      if (!is_taken) all.push_back(std::move(worker));
    }
  }
  return all;
}

}  // namespace gemmtune
