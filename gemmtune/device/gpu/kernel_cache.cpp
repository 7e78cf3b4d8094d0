#include "gemmtune/device/gpu/kernel_cache.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".cubin";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path default_kernel_cache() {
  if (const auto named = variable("GEMMTUNE_CACHE"); !named.empty()) return named;
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "gemmtune/kernels";
  const auto home = variable("HOME");
  return fs::path(home.empty() ? fs::temp_directory_path() : fs::path(home)) / ".cache/gemmtune/kernels";
}

KernelCache::KernelCache(fs::path folder, std::int64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

fs::path KernelCache::path_of(const std::string& key) const { return folder_ / (key + std::string(suffix)); }

bool KernelCache::contains(const std::string& key) const {
  std::error_code ignored;
  return fs::is_regular_file(path_of(key), ignored);
}

std::optional<std::string> KernelCache::find(const std::string& key) const {
  const auto path = path_of(key);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  try {
    auto code = read_file(path);
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
    return code.empty() ? std::nullopt : std::optional(std::move(code));
  } catch (const Error&) {
    return std::nullopt;  // another process removed it between the two checks
  }
}

bool KernelCache::keep(const std::string& key, std::string_view code) const {
  try {
    fs::create_directories(folder_);
    write_file_atomically(path_of(key), code);
    shrink();
    return true;
  } catch (const Error&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

std::vector<CachedKernel> KernelCache::list() const {
  std::vector<CachedKernel> kernels;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() != suffix) continue;
    CachedKernel kernel{.key = entry.path().stem().string()};
    kernel.bytes = static_cast<std::int64_t>(entry.file_size(error));
    if (!error) kernel.used = entry.last_write_time(error);
    if (!error) kernels.push_back(std::move(kernel));
  }
  std::ranges::sort(kernels,
                    [](const auto& a, const auto& b) { return std::pair(b.used, a.key) < std::pair(a.used, b.key); });
  return kernels;
}

std::int64_t KernelCache::clear() const {
  std::int64_t removed = 0;
  std::error_code error;
  for (const auto& kernel : list()) removed += fs::remove(path_of(kernel.key), error) ? 1 : 0;
  return removed;
}

void KernelCache::shrink() const {
  std::int64_t bytes = 0;
  std::error_code ignored;
  for (const auto& kernel : list()) {
    bytes += kernel.bytes;
    if (bytes > limit_bytes_) fs::remove(path_of(kernel.key), ignored);
  }
}

}  // namespace gemmtune
