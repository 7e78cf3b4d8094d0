// Compiled kernels on disk, so that no process compiles what another has compiled: one file each, named by everything
// that went into it. Safe under many processes: files appear whole, and a lost race costs one compilation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// GEMMTUNE_CACHE, or gemmtune/kernels in the user's cache folder (XDG_CACHE_HOME, else ~/.cache).
std::filesystem::path default_kernel_cache();

struct CachedKernel {
  std::string key{};
  std::int64_t bytes{};
  std::filesystem::file_time_type used{};  // when it was last asked for
};

class KernelCache {
 public:
  static constexpr std::int64_t default_limit_bytes = std::int64_t{1} << 30;

  explicit KernelCache(std::filesystem::path folder, std::int64_t limit_bytes = default_limit_bytes);

  std::optional<std::string> find(const std::string& key) const;
  bool contains(const std::string& key) const;

  /// Keeps the code, and removes what was longest not asked for while the limit is exceeded. A folder that cannot be
  /// written costs the cache, not the caller: it returns false.
  bool keep(const std::string& key, std::string_view code) const;

  /// The last asked for first.
  std::vector<CachedKernel> list() const;

  /// Removes all; how many there were.
  std::int64_t clear() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
};

}  // namespace gemmtune
