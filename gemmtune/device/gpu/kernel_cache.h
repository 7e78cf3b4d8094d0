// A cache of compiled kernels on disk, so that no process compiles what another has compiled. Each kernel is one file,
// named by a hash of everything that went into it. Many processes can use it at once: a file appears as a whole, and a
// lost race costs one compilation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// The folder in GEMMTUNE_CACHE, or else gemmtune/kernels in the user's cache folder (XDG_CACHE_HOME or ~/.cache).
std::filesystem::path default_kernel_cache();

struct CachedKernel {
  std::string key{};
  std::int64_t bytes{};
  std::filesystem::file_time_type used{};  // when it was last requested
};

class KernelCache {
 public:
  static constexpr std::int64_t default_limit_bytes = std::int64_t{1} << 30;

  explicit KernelCache(std::filesystem::path folder, std::int64_t limit_bytes = default_limit_bytes);

  std::optional<std::string> find(const std::string& key) const;
  bool contains(const std::string& key) const;

  /// Stores the code. While the cache exceeds its limit, removes the kernels that were not requested for the longest
  /// time. Returns false if the folder cannot be written; the caller then goes on without a cache.
  bool keep(const std::string& key, std::string_view code) const;

  /// All kernels, the most recently requested one first.
  std::vector<CachedKernel> list() const;

  /// Removes all kernels and returns their number.
  std::int64_t clear() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
};

}  // namespace gemmtune
