#include "gemmtune/cli/table/export_files.h"

#include <fmt/format.h>

#include "gemmtune/core/error.h"

namespace gemmtune {

std::filesystem::path with_ordinal(const std::filesystem::path& path, std::int64_t ordinal) {
  auto text = path.string();
  const auto number = std::to_string(ordinal);
  if (const auto mark = text.find("%d"); mark != std::string::npos) return text.replace(mark, 2, number);
  const auto dot = text.rfind('.');
  return dot == std::string::npos ? text + number : text.insert(dot, number);
}

std::filesystem::path env_path(const std::filesystem::path& path) {
  auto beside = path;
  return beside.replace_extension(".env");
}

std::string env_text(const std::vector<Param>& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    if (value.find_first_of(" \t\"'$\\") != std::string::npos)
      fail(ErrorCode::usage, "{}={}: such a path cannot stand in an environment file", name, value);
    text += fmt::format("{}={}\n", name, value);
  }
  return text;
}

}  // namespace gemmtune
