#include "gemmtune/cli/format_option.h"

#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {

std::string all_format_names() {
  std::vector<std::string> names;
  for (const auto format : all_formats()) names.emplace_back(to_string(format));
  return join(names, ", ");
}

std::optional<Format> format_named(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto format = parse_format(text)) return format;
  fail(ErrorCode::usage, "--format: found '{}', expected one of {}", text, all_format_names());
}

TableSource table_source(const std::filesystem::path& path, const std::string& format) {
  const auto asked = format_named(format);
  return asked ? source_of(path, *asked) : guess_source(path);
}

}  // namespace gemmtune
