// The small text files in /proc and /sys that describe a CPU, read below a root folder that tests replace.
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

  /// The file's text, or nothing if it cannot be read.
  std::optional<std::string> text(const std::filesystem::path& path) const;

  /// The file's only line, trimmed.
  std::optional<std::string> line(const std::filesystem::path& path) const;

  std::optional<std::int64_t> number(const std::filesystem::path& path) const;
};

/// The value of the first "key : value" line with this key, as in /proc/cpuinfo and /proc/meminfo.
std::optional<std::string> field(std::string_view text, std::string_view key);

/// The numbers in a list such as "0-3,8" (0, 1, 2, 3, 8). Text that is not a number is left out.
std::vector<int> parse_cpu_list(std::string_view text);

/// The number of bytes in "32768K", "1M" or "512".
std::optional<std::int64_t> parse_size(std::string_view text);

}  // namespace gemmtune
