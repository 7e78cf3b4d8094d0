#include "gemmtune/cli/short_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::string_view further_indent = "  ";

/// A percent sign stays with its number, and the line's own indent with its first word.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : split(line, ' '))
    if (!words.empty() && (word.starts_with('%') || words.back().find_first_not_of(' ') == std::string::npos))
      words.back() += fmt::format(" {}", word);
    else
      words.emplace_back(word);
  return words;
}

std::string broken(std::string_view line, std::size_t width) {
  std::string text;
  std::size_t column = 0;
  for (const auto& word : words_of(line)) {
    const bool is_first = text.empty();
    const bool fits = column + 1 + word.size() <= width;
    text += is_first ? word : fits ? ' ' + word : fmt::format("\n{}{}", further_indent, word);
    column = is_first ? word.size() : (fits ? column + 1 : further_indent.size()) + word.size();
  }
  return text;
}

}  // namespace

std::string human_time(double time_us) {
  if (time_us < 1e3) return fmt::format("{:.4g} us", time_us);
  if (time_us < 1e6) return fmt::format("{:.4g} ms", time_us / 1e3);
  return fmt::format("{:.4g} s", time_us / 1e6);
}

std::string cut_in_the_middle(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 3);
  if (text.size() <= width) return std::string(text);
  const auto tail = (width - 1) / 2;
  return fmt::format("{}…{}", text.substr(0, width - 1 - tail), text.substr(text.size() - tail));
}

std::string wrapped(std::string_view lines, std::size_t width) {
  std::string text;
  for (const auto line : split(lines, '\n')) {
    if (!text.empty()) text += '\n';
    text += width == 0 || line.size() <= width ? std::string(line) : broken(line, width);
  }
  return text;
}

std::size_t stdout_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
    return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const auto width = columns == nullptr ? std::nullopt : parse_int(columns);
  return width && *width > 0 ? static_cast<std::size_t>(*width) : 0;
}

}  // namespace gemmtune
