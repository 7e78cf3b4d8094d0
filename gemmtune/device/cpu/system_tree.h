// The small text files in /proc and /sys that tell of a CPU, read below a root that tests replace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

struct SystemTree {
  std::filesystem::path root{"/"};

  /// The file's text, or nothing where it cannot be read.
  std::optional<std::string> text(const std::filesystem::path& path) const;

  /// The file's only line, trimmed.
  std::optional<std::string> line(const std::filesystem::path& path) const;

  std::optional<std::int64_t> number(const std::filesystem::path& path) const;
};

/// The value of the first "key : value" line, as /proc/cpuinfo and /proc/meminfo have them.
std::optional<std::string> field(std::string_view text, std::string_view key);

/// "0-3,8" as 0 1 2 3 8; what is not a number is left out.
std::vector<int> parse_cpu_list(std::string_view text);

/// "32768K", "1M", "512" in bytes.
std::optional<std::int64_t> parse_size(std::string_view text);

}  // namespace gemmtune
