#include "gemmtune/fleet/bundle_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr unsigned for_all_that_may_execute = S_IXUSR | S_IXGRP | S_IXOTH;

constexpr std::string_view made_by_python = "__pycache__";

struct stat stat_of(const fs::path& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) fail(ErrorCode::io, "cannot read {}: {}", path.string(), std::strerror(errno));
  return state;
}

BundleFile file_at(const fs::path& path, const std::string& name) {
  const auto mode = stat_of(path).st_mode;
  if (S_ISDIR(mode)) return {.name = name};
  if (!S_ISREG(mode)) fail(ErrorCode::io, "{} is neither a file nor a folder", path.string());
  return {.name = name, .source = fs::absolute(path)};
}

}  // namespace

std::vector<BundleFile> files_below(const fs::path& path, const std::string& name) {
  std::vector<BundleFile> files{file_at(path, name)};
  if (!files.front().source.empty()) return files;
  std::error_code error;
  fs::recursive_directory_iterator entry(path, fs::directory_options::follow_directory_symlink, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().filename() == made_by_python)
      entry.disable_recursion_pending();
    else
      files.push_back(file_at(entry->path(), name + '/' + entry->path().lexically_relative(path).string()));
  }
  if (error) fail(ErrorCode::io, "cannot read the folder {}: {}", path.string(), error.message());
  return files;
}

std::string state_of(const std::vector<BundleFile>& files) {
  std::string text;
  for (const auto& [name, source] : files) {
    text += fmt::format("{}\n{}\n", name, source.string());
    if (source.empty()) continue;
    const auto state = stat_of(source);
    text += fmt::format("{} {} {} {:o} {}.{:09}\n", state.st_dev, state.st_ino, state.st_size, state.st_mode,
                        state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
  }
  return text;
}

std::string modes_of(const std::vector<BundleFile>& files) {
  std::string text;
  for (const auto& [name, source] : files) {
    if (source.empty()) text += fmt::format("folder {}\n", name);
    if (!source.empty() && (stat_of(source).st_mode & for_all_that_may_execute) != 0)
      text += fmt::format("program {}\n", name);
  }
  return text;
}

}  // namespace gemmtune
