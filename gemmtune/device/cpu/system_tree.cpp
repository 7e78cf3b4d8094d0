#include "gemmtune/device/cpu/system_tree.h"

#include <fstream>
#include <sstream>

#include "gemmtune/core/text.h"

namespace gemmtune {

std::optional<std::string> SystemTree::text(const std::filesystem::path& path) const {
  // Files in /proc and /sys claim a size of 0 or 4096, so this one is read to its end.
  std::ifstream file(root / path.relative_path());
  if (!file) return std::nullopt;
  std::ostringstream whole;
  whole << file.rdbuf();
  return file.bad() || whole.bad() ? std::nullopt : std::optional(whole.str());
}

std::optional<std::string> SystemTree::line(const std::filesystem::path& path) const {
  const auto whole = text(path);
  if (!whole) return std::nullopt;
  return std::string(trim(*whole));
}

std::optional<std::int64_t> SystemTree::number(const std::filesystem::path& path) const {
  const auto whole = line(path);
  return whole ? parse_int(*whole) : std::nullopt;
}

std::optional<std::string> field(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(line.substr(colon + 1)));
  }
  return std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string_view piece : split(trim(text), ',')) {
    const auto ends = split(piece, '-');
    const auto first = parse_int(ends.front());
    const auto last = parse_int(ends.back());
    if (!first || !last) continue;
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  std::string_view digits = trim(text);
  if (digits.empty()) return std::nullopt;
  std::int64_t unit = 1;
  if (digits.back() == 'K') unit = 1024;
  if (digits.back() == 'M') unit = 1024 * 1024;
  if (unit != 1) digits.remove_suffix(1);
  const auto count = parse_int(digits);
  return count ? std::optional(*count * unit) : std::nullopt;
}

}  // namespace gemmtune
